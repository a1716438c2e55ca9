"""Programs in PyTorch for the overhead table: `bench.py resnet50|transformer`.  Prints a sum."""
import sys

import torch


def resnet50():
    import torchvision

    model = torchvision.models.resnet50(weights=None).cuda().eval()
    images = torch.rand(32, 3, 224, 224).cuda()
    with torch.no_grad():
        for _ in range(10):
            scores = model(images)
    return scores.double().sum().item()


def transformer():
    layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, dropout=0, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    batch = torch.rand(8, 128, 768).cuda()
    for _ in range(5):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
    return loss.item()


torch.manual_seed(1)
torch.backends.cudnn.deterministic = True
print(sys.argv[1], "0 launches 0 ms sum", "%.6g" % {"resnet50": resnet50, "transformer": transformer}[sys.argv[1]]())
