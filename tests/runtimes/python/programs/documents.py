#: XML: elements, paths, namespaces, parsers, targets, events
import xml.etree.ElementTree as ET, io, copy
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement, tostring
doc = """<?xml version="1.0"?>
<!DOCTYPE catalog [<!ENTITY co "ACME">]>
<catalog xmlns:d="urn:d" n="1"><!-- c -->
 <book id="b1" d:x="y"><title>A &co; &amp; B</title><price>1.5</price></book>
 <book id="b2"><title>Z</title><price>2</price>tail</book>
</catalog>"""
root = ET.fromstring(doc)
out = [root.tag, root.attrib, [b.get("id") for b in root.findall("book")], root.find(".//book[@id='b2']/title").text,
  root.findtext("book/price"), [e.tag for e in root.iter()], sum(float(p.text) for p in root.iter("price")), root[0].attrib, len(root),
  root.find("book[title='Z']").get("id"), root.find("nope"), list(root.itertext())[:3]]
r = Element("r", {"a": "1"}, b="2")
c = SubElement(r, "c"); c.text = "x<y"; c.tail = "t"
c.set("k", "ä")
r.append(ET.Comment("hi")); r.insert(0, ET.PI("p", "q"))
out += [tostring(r).decode(), tostring(r, encoding="unicode"), tostring(r, "utf-8", xml_declaration=True).decode()]
ET.indent(r); out.append(tostring(r, encoding="unicode", short_empty_elements=False))
d = copy.deepcopy(r); d[1].text = "new"; s = copy.copy(r)
out += [r[1].text, d[1].text, s[1] is r[1]]
try: ET.fromstring("<a><b></a>")
except ET.ParseError as e: out += [str(e), e.position, e.code]
tree = ET.parse(io.StringIO("<x><y/></x>")); b = io.BytesIO(); tree.write(b, encoding="utf-8", xml_declaration=True); out.append(b.getvalue().decode())
t = io.StringIO(); ET.ElementTree(r).write(t, encoding="unicode"); out.append(len(t.getvalue()))
out += [[(e, x.tag) for e, x in ET.iterparse(io.BytesIO(b"<a><b/><c/></a>"), events=("start", "end"))]]
out += [[(e, x if e.endswith("ns") else x.tag) for e, x in ET.iterparse(io.StringIO("<a xmlns='u'><b/></a>"), events=("start", "start-ns", "end-ns"))]]
ns = {"d": "urn:d"}
out += [ET.fromstring("<a xmlns='urn:d'><b>1</b></a>").find("d:b", ns).text]
ET.register_namespace("dd", "urn:d"); out.append(tostring(ET.fromstring("<a xmlns='urn:d'><b>1</b></a>")).decode())
class T:
    def __init__(self): self.depth = 0; self.most = 0
    def start(self, tag, attrib): self.depth += 1; self.most = max(self.most, self.depth)
    def end(self, tag): self.depth -= 1
    def data(self, d): pass
    def close(self): return self.most
p = ET.XMLParser(target=T()); p.feed("<a><b><c/>"); p.feed("</b></a>"); out.append(p.close())
p = ET.XMLParser(); p.entity["nbsp"] = "_"; p.feed("<!DOCTYPE a SYSTEM 'x'><a>1&nbsp;2</a>"); out.append(p.close().text)
pp = ET.XMLPullParser(["end"]); pp.feed("<a><b>1</b>"); out.append([x.tag for _, x in pp.read_events()]); pp.feed("</a>"); pp.close()
out.append([x.tag for _, x in pp.read_events()])
out.append(ET.canonicalize("<a  z='1' b='2'><c/></a>"))
out.append([ET.iselement(r), isinstance(r, Element), ET.QName("u", "t").text])
del r[0]; r.remove(r[0]); r.clear(); out.append([len(r), r.attrib])
result = out
#: zip archives in memory, codecs, weak references
import zipfile, io, base64, codecs, weakref
buf = io.BytesIO()
with zipfile.ZipFile(buf, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.txt", "hello " * 100)
    with z.open("b/c.bin", "w") as f: f.write(b"abc"); f.write(b"def")
    i = zipfile.ZipInfo("d.txt", (2020, 1, 2, 3, 4, 6)); i.compress_type = zipfile.ZIP_DEFLATED; i.external_attr = 0o600 << 16
    z.writestr(i, b"x" * 50)
    z.comment = b"note"
data = base64.b64encode(buf.getvalue())
out = []
with zipfile.ZipFile(io.BytesIO(base64.b64decode(data))) as z:
    out += [z.namelist(), [(i.filename, i.file_size, i.is_dir(), i.compress_type) for i in z.infolist()], z.read("b/c.bin").decode(), z.comment.decode(), z.testzip()]
    with z.open("a.txt") as f: out += [f.readline()[:5].decode(), f.name]
    with z.open("a.txt") as f: out += [len(io.TextIOWrapper(io.BytesIO(f.read()), encoding="utf-8").read())]
    out.append(z.getinfo("d.txt").date_time)
    try: z.read("nope")
    except KeyError as e: out.append(str(e))
with zipfile.ZipFile(buf, "a") as z: z.writestr("new", "n")
out += [zipfile.ZipFile(buf).namelist(), zipfile.is_zipfile(buf), zipfile.is_zipfile(io.BytesIO(b"no"))]
try: zipfile.ZipFile(io.BytesIO(b"no"))
except zipfile.BadZipFile as e: out.append(str(e))
out += [codecs.encode("Hello", "rot13"), codecs.decode("68690a", "hex").decode(), codecs.encode(b"hi", "base64").decode(), codecs.BOM_UTF8.decode("utf-8-sig"), codecs.encode("é", "utf-8").decode("latin-1")]
class A: pass
a = A(); r = weakref.ref(a); d = weakref.WeakKeyDictionary(); d[a] = 1; v = weakref.WeakValueDictionary(); v["a"] = a
s = weakref.WeakSet([a])
out += [r() is a, len(d), list(v), len(s)]
del a
out += [r() is None, len(d), list(v), len(s)]
result = out
