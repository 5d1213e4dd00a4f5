// require('perf_hooks')
(host) => ({ perf_hooks: { performance: host.library('performance').performance } })
