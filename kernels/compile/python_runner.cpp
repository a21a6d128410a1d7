#include "kernels/compile/python_runner.h"

namespace warplens::compile {

const char* const kPythonRunner = R"python(
import ast, errno, importlib.util, inspect, json, os, shutil, sys, textwrap

folder = os.getcwd()
os.environ["HOME"] = folder
os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "cache")
with open("request.json") as opened:
    request = json.load(opened)


def stop(message):
    sys.stdout.flush()
    sys.stderr.write("\n" + message + "\n")
    sys.exit(3)


# Landlock lets nobody move a file to another folder, and Triton does so in its cache.
def move(source, target, within_folder=os.replace):
    try:
        within_folder(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.copyfile(source, target)
        os.unlink(source)


os.replace = os.rename = move

# The package comes first: without it nothing of the file is run.
try:
    if request["kind"] == "triton":
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
    else:
        from numba import cuda, types
except ImportError as error:
    stop(f"{sys.executable} cannot import {request['kind'].capitalize()}: {error}")

sys.path.insert(0, os.path.dirname(request["file"]))
# Numba names its kernels after the module.
stem = os.path.splitext(os.path.basename(request["file"]))[0]
name = "warplens_imported" if stem in sys.modules else stem
spec = importlib.util.spec_from_file_location(name, request["file"])
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
try:
    spec.loader.exec_module(module)
except BaseException as error:
    if not hasattr(module, request["kernel"]):
        stop(f"importing the file failed: {type(error).__name__}: {error}")
kernel = getattr(module, request["kernel"], None)
if kernel is None:
    stop(f"the file has no {request['kernel']} once it is imported")


def write(name, text):
    with open(name, "w") as written:
        written.write(text)


def function_of(function):
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def compile_triton(kernel):
    # Autotune and heuristics are around the function; what they would pass is in the first configuration.
    constants, options = {}, {}
    while not hasattr(kernel, "arg_names") or hasattr(kernel, "configs"):
        configs = getattr(kernel, "configs", None)
        if configs:
            constants.update(configs[0].kwargs)
            options.update({name: getattr(configs[0], name) for name in ("num_warps", "num_stages")})
        if not hasattr(kernel, "fn"):
            stop(f"{request['kernel']} is not a kernel of Triton")
        kernel = kernel.fn

    def value_of(text):
        for convert in (lambda t: int(t, 0), float):
            try:
                return convert(text)
            except ValueError:
                pass
        return {"True": True, "False": False, "None": None}.get(text, text)

    constants.update({name: value_of(text) for name, text in request["constants"].items()})

    def base_of(node, assigned, depth=0):
        """The name that an address begins with: x of x + i * n."""
        while isinstance(node, ast.BinOp):
            node = node.left
        if isinstance(node, ast.Name) and node.id in assigned and depth < 16:
            value = assigned[node.id]
            return base_of(value, {k: v for k, v in assigned.items() if k != node.id}, depth + 1)
        return node.id if isinstance(node, ast.Name) else None

    def pointers_of(function):
        tree = function_of(function)
        assigned, found = {}, set()
        for node in ast.walk(tree):
            is_single = isinstance(node, ast.Assign) and len(node.targets) == 1
            if is_single and isinstance(node.targets[0], ast.Name):
                assigned.setdefault(node.targets[0].id, node.value)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
                continue
            if node.func.attr in ("load", "store") or node.func.attr.startswith("atomic_"):
                found.add(base_of(node.args[0], assigned))
        return found

    pointers = pointers_of(kernel.fn)
    signature, constexprs, attributes = {}, {}, {}
    for index, parameter in enumerate(kernel.params):
        name = parameter.name
        if parameter.is_constexpr:
            if name not in constants and parameter.default is not inspect.Parameter.empty:
                constants[name] = parameter.default
            if name not in constants:
                stop(f"{name} is a constant without a value: "
                     f"write # warplens: {name}=VALUE before the kernel")
            signature[name] = "constexpr"
            constexprs[(index,)] = constants[name]
            continue
        is_pointer = name in pointers or name.lower().endswith("_ptr")
        signature[name] = request["types"].get(name, "*fp32" if is_pointer else "i32")
        if signature[name].startswith("*"):
            attributes[(index,)] = [["tt.divisibility", 16]]  # As torch allocates

    try:
        source = ASTSource(kernel, signature, constexprs, attributes)
        target = GPUTarget("cuda", int(request["architecture"]), 32)
        # What the file compiled when it was imported lies elsewhere.
        cache = os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "cache_of_kernel")
        try:
            triton.compile(source, target=target, options=options)
        except Exception as error:
            # Without an assembler the PTX is there all the same.
            compiled = error
        for entry in os.listdir(cache) if os.path.isdir(cache) else []:
            for extension in ("ptx", "ttir", "json"):
                path = os.path.join(cache, entry, f"{request['kernel']}.{extension}")
                if os.path.exists(path):
                    with open(path) as opened:
                        write(f"kernel.{extension}", opened.read())
        if not os.path.exists("kernel.ptx"):
            raise compiled
    except Exception as error:
        stop(f"{type(error).__name__}: {error}")


# Numba passes an array as these (numba.core.datamodel: ArrayModel).
def parameters_of_array(name, array, element):
    def one(part, type, pointer=False, value=""):
        return {"name": f"{name}_{part}", "type": type, "pointer": pointer, "value": value}

    size = array.dtype.bitwidth // 8
    parameters = [one("meminfo", "u8", True, "null"), one("parent", "u8", True, "null"), one("nitems", "i64"),
                  one("itemsize", "i64", value=str(size))]
    parameters.append({"name": name, "type": element, "pointer": True, "value": ""})
    parameters += [one(f"shape{i}", "i64") for i in range(array.ndim)]
    for i in range(array.ndim):
        following = "".join(f"*{name}_shape{j}" for j in range(i + 1, array.ndim))
        parameters.append(one(f"stride{i}", "i64", value=f"{size}{following}"))
    return parameters


def compile_numba(kernel):
    function = getattr(kernel, "py_func", None)
    if function is None:
        stop(f"{request['kernel']} is not a kernel of Numba")
    subscripted = {}
    for node in ast.walk(function_of(function)):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            count = len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1
            subscripted[node.value.id] = max(count, subscripted.get(node.value.id, 1))
    signature, parameters = [], []
    for name in inspect.signature(function).parameters:
        extents = subscripted.get(name, 0)
        guess = "float32[" + ":," * (extents - 1) + "::1]" if extents else "int32"
        type = eval(request["types"].get(name, guess), dict(vars(types)))
        signature.append(type)
        scalar = getattr(type, "dtype", type)
        kind = "f" if isinstance(scalar, types.Float) else "i" if getattr(scalar, "signed", True) else "u"
        element = f"{kind}{scalar.bitwidth}"
        if isinstance(type, types.Array):
            parameters += parameters_of_array(name, type, element)
        else:
            parameters.append({"name": name, "type": element, "pointer": False, "value": ""})
    digits = request["architecture"]
    capability = (int(digits[:-1]), int(digits[-1]))
    try:
        ptx, _ = cuda.compile_ptx(function, tuple(signature), cc=capability, lineinfo=True)
    except Exception as error:
        stop(f"{error.__class__.__name__}: {error}")
    write("kernel.ptx", ptx)
    write("kernel.json", json.dumps({"parameters": parameters}))


if request["kind"] == "triton":
    compile_triton(kernel)
else:
    compile_numba(kernel)
)python";

}  // namespace warplens::compile
