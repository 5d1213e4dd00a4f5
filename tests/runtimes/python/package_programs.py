"""Ordinary programs that use an operator's packages, and what they give: by name, the source and the result."""

from __future__ import annotations

PACKAGES = ("numpy", "pandas", "dateutil", "bs4")

SALES = """
import pandas as pd
import numpy as np
from io import StringIO
sales = pd.DataFrame({
    "city": ["Rome", "Oslo", "Rome", "Oslo", "Rome"],
    "kind": ["a", "a", "b", "b", "a"],
    "n": [1, 2, 3, 4, 5],
    "x": [1.5, None, 3.0, 4.5, 5.0],
    "day": pd.to_datetime(["2024-01-30", "2024-01-31", "2024-02-01", "2024-02-01", "2024-03-05"]),
})
"""

PROGRAMS: dict[str, tuple[str, object]] = {
    "pandas: group-by": (
        SALES + "result = sales.groupby('city').agg(n=('n', 'sum'), x=('x', 'mean')).to_dict('index')",
        {"Oslo": {"n": 6, "x": 4.5}, "Rome": {"n": 9, "x": (1.5 + 3.0 + 5.0) / 3}},
    ),
    "pandas: group-by with functions of the program": (
        SALES
        + """
def spread(part):
    return part.max() - part.min()
result = {
    "agg": sales.groupby("city")["n"].agg(spread).to_dict(),
    "transform": sales.groupby("city")["n"].transform(lambda part: part - part.min()).tolist(),
    "apply": sales.apply(lambda row: f"{row['city']}{row.n}", axis=1).tolist(),
    "keys": [[key, len(part)] for key, part in sales.groupby(["city", "kind"])],
}
""",
        {
            "agg": {"Oslo": 2, "Rome": 4},
            "transform": [0, 0, 2, 2, 4],
            "apply": ["Rome1", "Oslo2", "Rome3", "Oslo4", "Rome5"],
            "keys": [[["Oslo", "a"], 1], [["Oslo", "b"], 1], [["Rome", "a"], 2], [["Rome", "b"], 1]],
        },
    ),
    "pandas: pivot": (
        SALES + "result = sales.pivot_table(index='city', columns='kind', values='n', aggfunc='sum').to_dict('index')",
        {"Oslo": {"a": 2, "b": 4}, "Rome": {"a": 6, "b": 3}},
    ),
    "pandas: merge, concat, missing values": (
        SALES
        + """
codes = pd.DataFrame({"city": ["Rome", "Bern"], "code": ["IT", "CH"]})
both = sales[["city", "n"]].merge(codes, on="city", how="outer", indicator=True).sort_values(["city", "n"])
both = both.astype(object).where(both.notna(), None)
result = [both.to_dict("records")[0], both.to_dict("records")[-1], len(pd.concat([sales, sales]).drop_duplicates())]
""",
        [
            {"city": "Bern", "n": None, "code": "CH", "_merge": "right_only"},
            {"city": "Rome", "n": 5, "code": "IT", "_merge": "both"},
            5,
        ],
    ),
    "pandas: date ranges, resample, rolling": (
        SALES
        + """
days = pd.date_range("2024-02-28", "2024-03-02", freq="D")
monthly = sales.set_index("day").resample("MS")["n"].sum()
result = {
    "days": days.strftime("%d.%m.").tolist(),
    "stamps": list(days[:1]),
    "monthly": {str(day.date()): n for day, n in monthly.items()},
    "rolling": sales["n"].rolling(2).mean().fillna(0).tolist(),
    "ends": [str(day.date()) for day in pd.date_range("2024-01-01", periods=2, freq="BME")],
}
""",
        {
            "days": ["28.02.", "29.02.", "01.03.", "02.03."],
            "stamps": ["2024-02-28T00:00:00"],
            "monthly": {"2024-01-01": 3, "2024-02-01": 7, "2024-03-01": 5},
            "rolling": [0, 1.5, 2.5, 3.5, 4.5],
            "ends": ["2024-01-31", "2024-02-29"],
        },
    ),
    "pandas: time zones": (
        SALES
        + """
there = pd.Series(pd.to_datetime(["2024-03-31 01:30", "2024-10-27 12:00"])).dt.tz_localize("Europe/Berlin")
result = {
    "utc": there.dt.tz_convert("UTC").dt.strftime("%H:%M").tolist(),
    "tokyo": there.dt.tz_convert("Asia/Tokyo").tolist(),
    "now": pd.Timestamp("2024-07-01 12:00", tz="America/New_York").isoformat(),
    "dateutil": str(pd.Timestamp("2024-07-01 12:00", tz="dateutil/Europe/Paris").utcoffset()),
}
""",
        {
            "utc": ["00:30", "11:00"],
            "tokyo": ["2024-03-31T09:30:00+09:00", "2024-10-27T20:00:00+09:00"],
            "now": "2024-07-01T12:00:00-04:00",
            "dateutil": "2:00:00",
        },
    ),
    "pandas: text in and out": (
        SALES
        + """
read = pd.read_csv(StringIO("a;b;when\\n1;2,5;2024-01-31\\n3;;2024-02-01\\n"), sep=";", decimal=",",
                   parse_dates=["when"])
again = pd.read_json(StringIO(sales[["city", "n"]].to_json(orient="records")))
result = {
    "csv": sales[["city", "x"]].head(2).to_csv(index=False),
    "read": [read["b"].sum(), str(read["when"].iloc[0]), read.shape],
    "json": sales[["city", "n"]].head(1).to_json(orient="records"),
    "again": again["n"].sum(),
    "html": sales[["n"]].head(1).to_html(border=0).count("<td>"),
    "text": sales[["city", "n"]].head(1).to_string(index=False).split(),
    "flat": pd.json_normalize([{"a": {"b": 1}}]).columns.tolist(),
}
""",
        {
            "csv": "city,x\nRome,1.5\nOslo,\n",
            "read": [2.5, "2024-01-31 00:00:00", [2, 3]],
            "json": '[{"city":"Rome","n":1}]',
            "again": 15,
            "html": 1,
            "text": ["city", "n", "Rome", "1"],
            "flat": ["a.b"],
        },
    ),
    "pandas: writing to frames": (
        SALES
        + """
sales["y"] = sales.n * 2
sales.loc[sales.city == "Oslo", "y"] = 0
sales.columns = [name.upper() for name in sales.columns]
sales.index.name = "row"
sales.at[0, "N"] = 10
sales["N"] += 1
sales.attrs["source"] = "test"
sales.N.name = "other"
del sales["X"]
setattr(sales.index, "name", "line")
pd.options.display.max_rows = 3
column = sales["Y"].copy()
column.iloc[0] = 7
result = [sales.columns.tolist(), sales["Y"].tolist(), sales["N"].tolist(), sales.index.name, sales.attrs,
          pd.get_option("display.max_rows"), column.tolist()]
""",
        [
            ["CITY", "KIND", "N", "DAY", "Y"],
            [2, 0, 6, 0, 10],
            [11, 3, 4, 5, 6],
            "line",
            {"source": "test"},
            3,
            [7, 0, 6, 0, 10],
        ],
    ),
    "pandas: select, sort, describe, strings": (
        SALES
        + """
least = 2
result = {
    "query": sales.query("n > @least and city == 'Rome'")["n"].tolist(),
    "eval": sales.eval("n * 2 + 1").tolist(),
    "sorted": sales.sort_values(["city", "n"], ascending=[True, False])["n"].tolist(),
    "describe": sales["n"].describe().to_dict()["75%"],
    "str": sales["city"].str.upper().str.slice(0, 2).unique(),
    "extract": sales["city"].str.extract("([A-Z])")[0].tolist(),
    "counts": sales["city"].value_counts().to_dict(),
    "cut": pd.cut(sales["n"], [0, 2, 5], labels=["low", "high"]).tolist(),
    "months": sales["day"].dt.month_name().tolist()[:3],
    "wide": pd.get_dummies(sales["kind"]).sum().to_dict(),
    "long": len(sales.melt(id_vars="city", value_vars=["n", "x"])),
    "isin": sales["city"].isin(["Oslo"]).sum(),
    "corr": round(sales[["n", "x"]].corr().loc["n", "x"], 6),
}
""",
        {
            "query": [3, 5],
            "eval": [3, 5, 7, 9, 11],
            "sorted": [4, 2, 5, 3, 1],
            "describe": 4,
            "str": ["RO", "OS"],
            "extract": ["R", "O", "R", "O", "R"],
            "counts": {"Rome": 3, "Oslo": 2},
            "cut": ["low", "low", "high", "high", "high"],
            "months": ["January", "January", "February"],
            "wide": {"a": 3, "b": 2},
            "long": 10,
            "isin": 2,
            "corr": 0.987541,
        },
    ),
    "pandas: classes of the program": (
        SALES
        + """
class Sales(pd.DataFrame):
    @property
    def _constructor(self):
        return Sales
    def total(self):
        return int(self["n"].sum())
mine = Sales(sales)
mine.note = 1
result = [mine[mine.n > 2].total(), type(mine[mine.n > 2]).__name__, isinstance(mine, pd.DataFrame),
          type(sales) is pd.DataFrame, mine.note, pd.__version__.split(".")[0].isdigit()]
""",
        [12, "Sales", True, True, 1, True],
    ),
    "numpy: linear algebra": (
        """
import numpy as np
import numpy.linalg as la
from numpy.linalg import norm
a = np.array([[2.0, 1.0], [1.0, 3.0]])
big = np.ones((500, 500)) @ np.eye(500)
u, s, vt = la.svd(a)
values, vectors = np.linalg.eig(a)
result = {
    "solve": np.round(la.solve(a, [3, 5]), 6),
    "product": a @ a,
    "dot": np.dot(a, [1, 1]),
    "big": big.sum(),
    "svd": np.allclose(u * s @ vt, a),
    "eig": sorted(np.round(values, 4)),
    "inverse": np.round(la.inv(a) @ a, 6),
    "det": round(la.det(a), 6),
    "norm": norm([3, 4]),
    "fit": np.round(np.polyfit([0, 1, 2], [1, 3, 5], 1), 6),
    "einsum": np.einsum("ij,ij->", a, a),
}
""",
        {
            "solve": [0.8, 1.4],
            "product": [[5, 5], [5, 10]],
            "dot": [3, 4],
            "big": 250000,
            "svd": True,
            "eig": [1.382, 3.618],
            "inverse": [[1, 0], [0, 1]],
            "det": 5,
            "norm": 5,
            "fit": [2, 1],
            "einsum": 15,
        },
    ),
    "numpy: arrays": (
        """
import io
import numpy as np
a = np.arange(6)
a.shape = (2, 3)
a[0, 0] = 10
a += 1
a.flags.writeable = False
rows = np.array([(1, 2.5, "x")], dtype=[("n", "i4"), ("f", "f8"), ("s", "U2")])
masked = np.ma.masked_greater(np.array([1.0, 9.0, 2.0]), 5)
file = io.BytesIO()
np.savez(file, a=a)
result = {
    "a": a,
    "T": a.T.ravel(order="C"),
    "fft": np.round(np.abs(np.fft.fft([1, 0, 1, 0])), 6),
    "sort": np.sort(np.array([3, 1, 2]))[::-1],
    "unique": np.unique(["b", "a", "b"], return_counts=True),
    "where": np.where(np.arange(4) > 1, "yes", "no"),
    "masked": masked,
    "mean": masked.mean(),
    "days": np.arange("2024-02-28", "2024-03-02", dtype="datetime64[D]"),
    "busy": np.busday_count("2024-01-01", "2024-02-01"),
    "rows": rows,
    "field": rows["s"],
    "loaded": np.load(io.BytesIO(file.getvalue()))["a"].sum(),
    "text": np.loadtxt(io.StringIO("1,2\\n3,4"), delimiter=",").sum(),
    "hist": np.histogram([1, 2, 2, 3], bins=2)[0],
    "nan": np.nanmean([1.0, np.nan, 3.0]),
    "poly": np.polynomial.Polynomial([1, 2])(3),
    "vectorized": np.vectorize(lambda x: x * 2)([1, 2]),
    "chars": np.char.upper(np.array(["a", "b"])),
    "repr": repr(np.eye(2)),
}
""",
        {
            "a": [[11, 2, 3], [4, 5, 6]],
            "T": [11, 4, 2, 5, 3, 6],
            "fft": [2, 0, 2, 0],
            "sort": [3, 2, 1],
            "unique": [["a", "b"], [1, 2]],
            "where": ["no", "no", "yes", "yes"],
            "masked": [1, None, 2],
            "mean": 1.5,
            "days": ["2024-02-28", "2024-02-29", "2024-03-01"],
            "busy": 23,
            "rows": [{"n": 1, "f": 2.5, "s": "x"}],
            "field": ["x"],
            "loaded": 31,
            "text": 10,
            "hist": [1, 3],
            "nan": 2,
            "poly": 7,
            "vectorized": [2, 4],
            "chars": ["A", "B"],
            "repr": "array([[1., 0.],\n       [0., 1.]])",
        },
    ),
    "numpy: generators": (
        """
import numpy as np
from numpy.random import default_rng
g = default_rng(7)
h = default_rng(7)
result = [g.normal(size=2).tolist() == h.normal(size=2).tolist(), sorted(g.permutation(3)), g.integers(1, 2),
          len(g.choice([1, 2, 3], 2, replace=False)), np.random.RandomState(1).randint(100), np.random.rand(2).shape]
""",
        [True, [0, 1, 2], 1, 2, 37, [2]],
    ),
    "numpy: a copy, and a class of the program": (
        """
import copy
import dataclasses
import numpy as np
@dataclasses.dataclass
class Point:
    at: np.ndarray
    def moved(self, by):
        return Point(self.at + by)
a = np.zeros(2)
b = copy.deepcopy(a)
c = copy.copy(a)
b[0] = 1
c[1] = 2
result = [a, b, c, Point(a).moved(1), isinstance(a, np.ndarray), type(a) is np.ndarray, a.dtype.name]
""",
        [[0, 0], [1, 0], [0, 2], {"at": [1, 1]}, True, True, "float64"],
    ),
    "dateutil": (
        """
import datetime
from dateutil import parser, tz
from dateutil.relativedelta import relativedelta, MO
from dateutil.rrule import rrule, rrulestr, MONTHLY
import dateutil.easter
start = datetime.datetime(2024, 1, 31, 10)
berlin = tz.gettz("Europe/Berlin")
result = {
    "parse": [parser.parse("Thu, 25 Sep 2003 10:49:41 -0300"), parser.parse("3 Feb 2024")],
    "iso": parser.isoparse("2024-01-31T10:00:00Z"),
    "plus": start + relativedelta(months=1),
    "monday": (start + relativedelta(weekday=MO(-1))).date(),
    "rule": [day.day for day in rrule(MONTHLY, count=3, bymonthday=-1, dtstart=start)],
    "text": len(list(rrulestr("DTSTART:20240101T000000\\nRRULE:FREQ=DAILY;COUNT=4"))),
    "zone": datetime.datetime(2024, 7, 1, 12, tzinfo=berlin),
    "tokyo": datetime.datetime(2024, 7, 1, 12, tzinfo=tz.gettz("Asia/Tokyo")).astimezone(berlin),
    "nowhere": tz.gettz("Mars/Olympus"),
    "easter": dateutil.easter.easter(2024),
    "local": datetime.datetime(2024, 7, 1, 12, tzinfo=tz.tzlocal()).utcoffset().total_seconds(),
}
""",
        {
            "parse": ["2003-09-25T10:49:41-03:00", "2024-02-03T00:00:00"],
            "iso": "2024-01-31T10:00:00+00:00",
            "plus": "2024-02-29T10:00:00",
            "monday": "2024-01-29",
            "rule": [31, 29, 31],
            "text": 4,
            "zone": "2024-07-01T12:00:00+02:00",
            "tokyo": "2024-07-01T05:00:00+02:00",
            "nowhere": None,
            "easter": "2024-03-31",
            "local": 0,
        },
    ),
    "bs4": (
        """
from bs4 import BeautifulSoup
page = BeautifulSoup("<ul><li class='a'>x &amp; y</li><li><a href='/z'>z</a></li></ul>", "html.parser")
for link in page.find_all("a"):
    link["href"] = "https://example.org" + link["href"]
page.find("li").string = "changed"
result = [page.select("li.a")[0].get_text(), page.a["href"], [tag.name for tag in page.ul.children], str(page.li)]
""",
        ["changed", "https://example.org/z", ["li", "li"], '<li class="a">changed</li>'],
    ),
    "imports of every kind": (
        """
import numpy, numpy.fft, pandas.api.types
import numpy.linalg as la
from pandas.api.types import is_numeric_dtype
from pandas import *
from numpy import array, pi as circle
from dateutil import relativedelta as delta
from numpy import *
def main():
    return [numpy.fft.fft([1, 0])[0].real, pandas.api.types.is_list_like([1]), la.norm([3, 4]),
            is_numeric_dtype(Series([1])), array([1]), round(circle, 2), str(delta.relativedelta(days=1)),
            float64(1.5)]
""",
        [1, True, 5, True, [1], 3.14, "relativedelta(days=+1)", 1.5],
    ),
}
