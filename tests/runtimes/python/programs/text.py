#: f-strings: conversions, nested specs, debug, quotes, expressions, multi-line
n, w, x = 3.14159, 10, {"k": [1, 2]}
class O:
    a = 1
    _b = 2
result = [f"{n:.2f}", f"{n:>{w}.{2}f}|", f"{n!r:<12}|", f"{n=}", f"{n = :.1f}", f"{x['k'][0]}", f"{O.a + O._b}", f"{{}} {w}", f"{'a' if w else 'b'}", f"""{
    w
}""", f"{w:,}" + f"{1234567:,}", f"{255:#x} {255:08b} {5:+}", f"{lambda_() if (lambda_ := (lambda: 7)) else 0}", rf"\d{w}", f"{w:{'>' if w else '<'}5}", f"{True}", f"{None!s:>6}", f"{'é':^5}", f"{12.5:%}"]
#: str.format and format_map: fields, items, attributes, conversions, nesting
class P:
    def __init__(self): self.name, self._p = "n", "priv"
    def __getitem__(self, k): return "item " + k
p = P()
class Default(dict):
    def __missing__(self, k): return "<" + k + ">"
result = ["{} {}".format(1, 2), "{1} {0}".format(1, 2), "{a} {b!r}".format(a=1, b="x"), "{0.name} {0[key]} {0._p}".format(p), "{:>{w}}".format("a", w=4), "{d[k]} {d[0]}".format(d={"k": 1, "0": 2} | {0: 3}), "{a} {b}".format_map({"a": 1, "b": 2}), "{a} {zz}".format_map(Default(a=1)), "{{}}{}".format(5), "{0:{1}}".format(3.5, ".3f"), "{.real}".format(5), str.format("{} {x}", 1, x=2), "{:,} {:e}".format(10000, 12.5), list(map("{:02d}".format, [1, 2])), "{0[0]}{0[1][a]}".format([1, {"a": 2}])]
#: errors of format
out = []
for t, a in [("{", ()), ("{}{1}", (1, 2)), ("{x}", ()), ("{0.nope}", (1,)), ("{!x}", (1,)), ("{:d}", ("a",)), ("{} {}", (1,)), ("{0[k]}", ({},))]:
    try: out.append(t.format(*a))
    except Exception as e: out.append([type(e).__name__, str(e)])
result = out
#: string.Template and string.Formatter
from string import Formatter, Template
class T(Template):
    delimiter = "%"
class F(Formatter):
    def get_value(self, key, args, kwargs):
        return kwargs.get(key, f"<{key}>") if isinstance(key, str) else super().get_value(key, args, kwargs)
    def format_field(self, value, spec): return str(value).upper() if spec == "up" else super().format_field(value, spec)
    def convert_field(self, value, conversion): return str(value) * 2 if conversion == "d" else super().convert_field(value, conversion)
result = [Template("$a ${b}c $$").substitute(a=1, b=2), Template("$a $z").safe_substitute({"a": 1}), T("%x $y").substitute(x=5), Formatter().format("{} {a:>3}", 1, a=2), F().format("{a} {b:up} {c!d} {0}", 9, b="x", c="y"), [list(map(str, part)) for part in Formatter().parse("a{b!r:c}d")], Formatter().vformat("{0}{k}", (1,), {"k": 2})]
#: percent formatting
result = ["%s %d %.2f %5s|%-5s|%05d %x %o %e %%" % ("a", 5, 1.5, "r", "l", 42, 255, 8, 1234.5), "%(a)s-%(b)r" % {"a": 1, "b": "x"}, "%s" % (1,), "%c%c" % ("a", 66), b"%d" % 5 == b"5"]
#: methods of str
s = "Hello, World"
result = [s.lower(), s.swapcase(), s.split(", "), s.partition(","), s.rpartition("o"), s.find("o"), s.rfind("o"), s.count("l"), s.replace("l", "L", 1), s.startswith(("He", "x")), s.endswith("d"), s.center(16, "*"), s.zfill(14), s.translate(str.maketrans("lo", "01", "H")), " a b ".strip(), "xxaxx".strip("x"), "a,b,,c".split(","), "a b\tc\n".split(), "l1\nl2\r\nl3".splitlines(), "-".join("abc"), "abc"[::-1], "ab" * 2, "b" in "abc", "éa".encode().hex(), "ß".casefold(), "abc".isalpha(), "12".isdigit(), "aB".title(), "a\tb".expandtabs(4), "prefix-x".removeprefix("prefix-"), "x.py".removesuffix(".py"), s.index("W"), "%", ascii("é"), repr("a'b"), "a" < "b", ord("a"), chr(8364), "x".ljust(3, "."), "A".isupper(), "abc".capitalize(), max("abc"), sorted("hello")]
#: bytes, bytearray, memoryview
b = bytearray(b"abc"); b[0] = 65; b += b"!"; b.extend([33]); del b[1]
m = memoryview(b"hello")
result = [b.decode(), bytes([1, 2]).hex(), b"a,b".split(b","), bytes.fromhex("ff00")[0], m[1:3].tobytes().decode(), int.from_bytes(b"\x01\x00", "big"), (258).to_bytes(2, "little").hex(), b"abc"[1], list(b"ab"), b"\xff".decode("latin-1"), "é".encode("utf-8").decode("utf-8"), "a".encode("utf-16-le").hex(), b"x".join([b"1", b"2"]).decode(), m.nbytes, m.tolist()]
#: raw, byte and joined literals, escapes, unicode names
result = [r"\n", "\x41\u00e9\N{BULLET}\U0001F600", b"\x00".hex(), "a" "b" 'c', """multi
line""", '''it's "q"''', "tab\tend", "\
joined", u"u"]
#: regular expressions
import re
p = re.compile(r"(?P<key>\w+)=(?P<val>\d+)", re.I)
m = p.search("x a=1, b=22")
result = [m.group("key"), m["val"], m.groupdict(), m.span(), p.findall("a=1 b=2"), [x.group() for x in p.finditer("a=1 b=2")], p.sub(lambda m: m["val"] + m["key"], "a=1"), re.sub(r"(\w)(\d)", r"\2\1", "a1"), re.split(r"[,;]\s*", "a, b;c"), re.fullmatch("a+", "aaa") is not None, re.match("b", "a"), re.escape("a.b"), bool(re.search("^b$", "a\nb", re.M)), p.sub(r"\g<val>", "k=5"), re.findall(r"\b\w", "one two")]
#: json in and out
import json
class E(json.JSONEncoder):
    def default(self, o): return sorted(o) if isinstance(o, set) else super().default(o)
result = [json.dumps({"a": [1, None, True, 1.5, "é"]}), json.dumps({"b": 1, "a": 2}, sort_keys=True, indent=2), json.loads('{"a": [1, 2.5, null, "\\u00e9"]}'), json.dumps({1, 2}, cls=E), json.dumps(object, default=lambda o: "d"), json.dumps("é", ensure_ascii=False), json.loads('[1]', parse_int=str), json.loads('{"a": 1}', object_hook=lambda d: list(d.items())), json.dumps([1, 2], separators=(",", ":"))]
