# What tests/cli/python_frames.sh profiles: sizes of cudaMalloc() name the cases.
import ctypes, sys, threading
cuda = ctypes.CDLL(sys.argv[1])  # releases the GIL around each call
held = ctypes.PyDLL(sys.argv[1])  # does not
def alloc(size, library=cuda):
    pointer = ctypes.c_void_p()
    assert library.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size)) == 0  # ALLOC
def two_lines():
    alloc(101)  # FIRST
    alloc(102)  # SECOND
def descend(depth):
    if depth:
        return descend(depth - 1)  # DEEPER
    alloc(103)  # BOTTOM
def generate():
    yield 1
    alloc(104)  # GENERATOR
    yield 2
class Model:
    def step(self, size):
        alloc(size)  # STEP
def compare(a, b):
    alloc(106)  # COMPARE
    return 0
def deep(depth):
    return deep(depth - 1) if depth else alloc(109)
def run():
    two_lines()  # TWO
    descend(2)  # DESCEND
    list(generate())  # LIST
    thread = threading.Thread(target=Model().step, args=(105,))
    thread.start()
    thread.join()
    CALLBACK(compare)(1, 2)  # FROM C
    try:
        raise ValueError
    except ValueError:
        alloc(107, held)  # HANDLER
    for text in ("\nalloc(108)\n", "\n\nalloc(108)\n"):  # code objects of one address, maybe
        exec(compile(text, "made", "exec"))  # EXEC
    deep(600)
    long = "каталог/" * 40  # 600 bytes
    for size, function, file in ((110, "größe", "é.py"), (111, "変数", "файл.py"), (112, "ascii", "😀.py"), (113, "数", "\udcff\x1b.py"), (114, "f", long)):
        exec(compile(f"def {function}():\n    alloc({size})\n{function}()\n", file, "exec"))
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int)
run()  # RUN
