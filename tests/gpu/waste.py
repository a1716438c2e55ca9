# What a program of PyTorch wastes, and what it needs: tests/gpu/pytorch.sh says what is to be found.
import torch

N = 1 << 20
torch.manual_seed(1)
a = torch.rand(N, device="cuda")
host = torch.rand(N)
index = torch.randint(0, N // 4, (N,), device="cuda")
whole = torch.randint(0, 8, (N,), device="cuda").float()  # sums are exact in any order


def overwritten(x):  # nobody reads the zeros
    y = torch.zeros(N, device="cuda")
    return torch.mul(x, 3, out=y)


def uploaded():  # the same in every step
    return host.cuda()


def histogram(x):  # the zeros are needed
    return x.new_zeros(N // 4).scatter_add_(0, index, x)


for step in range(5):
    a = torch.sin(overwritten(a) + uploaded()) + histogram(whole * (step + 1)).repeat(4) * 1e-3
print("%.3f" % a.sum().item())
