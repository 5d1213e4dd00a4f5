"""Loads the operator's packages as a zygote does, makes many calls of them, and prints what was only then imported.

Started as `python -I package_calls.py ROOT`; prints one JSON object: what was imported late, by call.
"""

from __future__ import annotations

import io
import json
import sys
import warnings
from typing import Any

# Each is an expression over `np`, `pd`, `df` and `io`. Nothing here needs a package that is not among PACKAGES.
CALLS = """
df.to_pickle(io.BytesIO())
pd.read_fwf(io.StringIO('a  b\\n1  2'))
df.to_records()
df.memory_usage(deep=True)
df.explode('b').stack()
df.rank(numeric_only=True)
df.compare(df.assign(a=[1, 2, 4]))
pd.testing.assert_frame_equal(df, df)
df.filter(regex='a').T
df.groupby(pd.Grouper(key='c', freq='ME')).size()
df.groupby('b').rolling(2)['a'].mean()
df.groupby('b').describe(include='all')
df['c'].dt.isocalendar()
pd.merge_asof(df[['c', 'a']], df[['c', 'd']], on='c')
pd.wide_to_long(pd.DataFrame({'id': [1], 'x1': [1], 'x2': [2]}), 'x', 'id', 'n')
pd.Series(['a', 'b'], dtype='string').str.len()
pd.Series([1, None], dtype='Int64').mean()
pd.Series([True, None], dtype='boolean').all()
pd.arrays.SparseArray([0, 1])
pd.interval_range(0, 3)
pd.period_range('2024', periods=3, freq='M').to_timestamp()
pd.timedelta_range('1h', periods=3)
pd.Timedelta('1 day 2 hours').isoformat()
pd.tseries.holiday.USFederalHolidayCalendar().holidays('2024-01-01', '2024-12-31')
pd.Series([1.0, 2, 3, 4]).ewm(alpha=0.5).std()
pd.Series([1.0, 2, 3, 4]).skew() + pd.Series([1.0, 2, 3, 4]).kurt() + pd.Series([1.0, 2, 3, 4]).sem()
pd.to_datetime('2024-01-01 10:00+02:00')
pd.Timestamp.now(tz='Europe/Berlin')
pd.read_csv(io.BytesIO(b'a,b\\n1,2'), engine='python')
pd.read_csv(io.StringIO('a,b\\n1,2'), dtype_backend='numpy_nullable')
pd.read_json(io.StringIO('{"a": {"0": 1}}'), orient='columns')
df.to_csv(io.BytesIO(), compression='gzip')
df.to_csv(io.BytesIO(), compression='zip')
df.to_json(orient='table')
df.info(buf=io.StringIO())
df.query('a in [1, 2] and d > 1', engine='python')
pd.eval('1 + 2')
pd.option_context('display.max_rows', 2).__enter__()
pd.util.hash_pandas_object(df)
df.to_dict('tight')
pd.api.interchange.from_dataframe(df[['a', 'd']].__dataframe__())
np.random.Generator(np.random.PCG64DXSM(1)).normal() + np.random.Generator(np.random.Philox(1)).gamma(2)
np.random.SFC64(1)
np.random.MT19937(1)
np.linalg.matrix_power(np.eye(2), 3) + np.linalg.cond(np.eye(2)) + np.linalg.matrix_rank(np.eye(2))
np.linalg.multi_dot([np.eye(2)] * 3)
np.linalg.slogdet(np.eye(2))
np.linalg.tensorinv(np.eye(4).reshape(2, 2, 2, 2))
np.fft.fftshift(np.fft.fftfreq(4))
np.fft.hfft([1, 2])
np.fft.fftn(np.eye(2))
np.convolve([1, 2], [1, 2]) + np.correlate([1, 2, 3], [1])
np.gradient([1, 2, 4])
np.quantile([1, 2, 3], 0.5, method='weibull')
np.cov([1, 2], [1, 2])
np.array2string(np.eye(3), formatter={'float': str})
np.format_float_positional(1.5)
np.savetxt(io.StringIO(), np.eye(2))
np.savez_compressed(io.BytesIO(), a=np.eye(2))
np.isin([1], [1])
np.union1d([1], [2])
np.lib.stride_tricks.sliding_window_view(np.arange(5), 2)
np.lib.recfunctions.append_fields(np.zeros(1, [('a', int)]), 'b', [1])
np.pad([1], 1)
np.block([[np.eye(2)]])
np.ma.median(np.ma.array([1, 2], mask=[0, 1]))
np.ma.polyfit([0, 1], [0, 1], 1)
np.strings.find(['a'], 'a')
np.rec.array([(1, 2)])
np.roots([1, 0, -1])
np.divide(np.float64(1), 0)
np.testing.assert_array_equal([1], [1])
np.finfo(float)
np.datetime64('now')
np.datetime_as_string(np.datetime64('2024'), timezone='UTC')
np.longdouble(1) + np.float16(1)
np.matrix([[1]])
np.einsum_path('ij,jk', np.eye(2), np.eye(2))
np.apply_along_axis(sum, 0, np.eye(2))
np.histogram2d([1], [1])
np.polynomial.chebyshev.chebfit([0, 1], [0, 1], 1)
np.polynomial.legendre.leggauss(3)
np.typing.NDArray[np.float64]
""".strip().splitlines()
PREPARE = """
import io
import numpy as np
import pandas as pd
df = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"], "c": pd.date_range("2024", periods=3), "d": [1.5, None, 2]})
"""


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    from langserver.python_runtime.run import PythonRuntime
    from tests.runtimes.python.package_programs import PACKAGES, PROGRAMS

    said, finders = sys.stdout, list(sys.meta_path)
    PythonRuntime(policy=True, packages=PACKAGES).preload()
    sys.meta_path[:] = finders  # here a late import must succeed, to be seen
    known = set(sys.modules)
    late: dict[str, list[str]] = {}

    def look(name: str) -> None:
        if new := sorted(set(sys.modules) - known):
            late[name] = new
            known.update(new)

    warnings.simplefilter("ignore")
    for name, (source, _) in PROGRAMS.items():
        names: dict[str, Any] = {"__name__": name}
        exec(source, names)
        if "main" in names:
            names["main"]()
        look(name)
    names = {"io": io}
    exec(PREPARE, names)
    for call in CALLS:
        eval(call, names)
        look(call)
    if len(sys.argv) > 2:
        __import__(sys.argv[2])
        look(sys.argv[2])
    json.dump(late, said)


if __name__ == "__main__":
    main()
