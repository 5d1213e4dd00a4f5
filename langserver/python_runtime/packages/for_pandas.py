"""pandas: what exercises it, and its values in a result."""

from __future__ import annotations

import importlib
import io
from typing import Any

from langserver.python_runtime import values
from langserver.python_runtime.values import Writer


def warm_up() -> None:
    """Runs what pandas does at first use."""
    pd: Any = importlib.import_module("pandas")
    frame = pd.DataFrame(
        {
            "day": pd.date_range("2024-01-30", periods=6, freq="D", tz="Europe/Berlin"),
            "city": ["Rome", "Oslo", "Rome", None, "Oslo", "Rome"],
            "n": [1, 2, 3, 4, 5, 6],
            "x": [1.5, None, 3.0, 4.5, 5.0, 6.5],
        }
    )
    _reckon(pd, frame)
    _show(pd, frame)
    _register(pd)


def _reckon(pd: Any, frame: Any) -> None:
    frame.groupby("city").agg({"n": "sum", "x": ["mean", "std", "median"]})
    frame.groupby("city")["x"].transform(lambda part: part - part.mean())
    frame.groupby("city")[["n"]].apply(lambda part: part.sum())
    frame.pivot_table(index="city", columns="n", values="x", aggfunc="mean", fill_value=0)
    pd.crosstab(frame["city"], frame["n"])
    frame.merge(frame[["city", "n"]], on="city", how="outer", suffixes=("", "_2"))
    pd.concat([frame, frame], ignore_index=True).drop_duplicates()
    frame.set_index("day").resample("2D")["x"].sum()
    frame["x"].rolling(2).mean()
    frame["x"].ewm(span=2).mean()
    frame["x"].expanding().sum()
    frame["x"].interpolate().rank()
    frame.melt(id_vars="city", value_vars=["n", "x"])
    frame.set_index(["city", "n"])["x"].unstack()
    frame.sort_values(["city", "n"], ascending=[True, False]).describe(include="all")
    frame.query("n > 2 and city == 'Rome'").eval("y = n * 2")
    frame["city"].str.upper().str.contains("O", na=False)
    frame["day"].dt.tz_convert("America/New_York").dt.strftime("%A %H:%M")
    frame["day"].dt.tz_localize(None).dt.to_period("M")
    pd.cut(frame["n"], 2).value_counts()
    pd.qcut(frame["n"], 2)
    pd.get_dummies(frame["city"].astype("category"))
    pd.to_datetime(pd.Series(["2024-01-31", "31 Jan 2024"]), format="mixed").diff().dt.total_seconds()
    pd.to_numeric(pd.Series(["1", "x"]), errors="coerce").astype("Int64").sum()
    frame[["n", "x"]].corr()
    frame.sample(2, random_state=1)


def _show(pd: Any, frame: Any) -> None:
    repr(frame)
    str(frame["x"])
    frame.info(buf=io.StringIO())
    frame.to_html()
    pd.read_csv(io.StringIO(frame.to_csv(index=False)), parse_dates=["day"])
    pd.read_csv(io.StringIO("a;b\n1;2\n"), sep=None, engine="python")
    for orient in ("records", "split", "index", "columns", "table"):
        frame.drop(columns="day").to_json(orient=orient)
    pd.read_json(io.StringIO('[{"a": 1, "b": "2024-01-31"}]'))
    pd.json_normalize([{"a": {"b": 1}, "c": [1]}])
    frame.to_dict("records")
    frame.to_numpy()


def _register(pd: Any) -> None:
    def null(writer: Writer, value: Any, path: str) -> None:
        writer.write(None, path)

    def stamp(writer: Writer, value: Any, path: str) -> None:
        writer.write(pd.Timestamp.isoformat(value), path)

    def array(writer: Writer, value: Any, path: str) -> None:
        writer.array(value, iter(value), path)

    extension_arrays = _below(pd.api.extensions.ExtensionArray)
    writers = {type(pd.NA): null, type(pd.NaT): null, pd.Timestamp: stamp} | dict.fromkeys(extension_arrays, array)
    advice = (
        ((pd.DataFrame,), 'use .to_dict("records")'),
        ((pd.Series, pd.Index), "use .tolist(), or .to_dict() of a Series"),
        ((pd.Period, pd.Interval), "use str(...)"),
    )
    values.register(writers, advice, {})


def _below(cls: type) -> set[type]:
    found: set[type] = set(cls.__subclasses__())
    return found.union(*map(_below, found))
