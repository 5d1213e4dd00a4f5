#: classes of the library that are only named here are patterns like any other
import types, dataclasses, enum, collections
from types import FunctionType
Point = collections.namedtuple("Point", "x y")
class Holder:
    _cls = int
    K = Point
def kind(x):
    match x:
        case types.GeneratorType(): return "generator"
        case FunctionType(): return "function"
        case types.MethodType(): return "method"
        case types.CoroutineType(): return "coroutine"
        case types.NoneType() | types.EllipsisType(): return "single"
        case types.BuiltinFunctionType(): return "builtin"
        case dataclasses.Field(default=d): return d
        case enum.EnumType(): return "enum"
        case type(): return "class"
        case Point(x=1): return "one"
        case Holder.K(x=2): return "two"
        case int(): return "int"
        case types.SimpleNamespace(a=b): return b
    return "other"
def gen(): yield 1
async def co(): pass
class E(enum.Enum): A = 1
@dataclasses.dataclass
class D:
    x: int = dataclasses.field(default=1)
    def m(self): pass
c = co()
result = [kind(v) for v in (gen(), gen, D().m, c, None, ..., len, dataclasses.fields(D)[0], E, D, Point(1, 2), Point(2, 2), 3,
                            types.SimpleNamespace(a=7), "x")]
c.close()
#: a pattern's class by a variable, by a private name, in a loop, defined after
import types
def gen(): yield 1
class Holder:
    _cls = int
T, h, out = type(gen()), Holder(), []
match gen():
    case T(): out.append("by variable")
match 3:
    case h._cls(): out.append("private")
for T in (int, str, types.FunctionType):
    match gen:
        case T(): out.append(T.__name__)
def late(x):
    match x:
        case Late(a=1): return "late"
class Late: a = 1
out.append(late(Late()))
result = out
#: a class that is not reached is not asked for; what is no class is a mistake
out = []
match 3:
    case int(): out.append("first")
    case Missing(): pass
try:
    match 3:
        case len(): pass
except TypeError as e: out.append(str(e))
try:
    match 3:
        case Missing(x=1): pass
except NameError as e: out.append(str(e))
result = out
