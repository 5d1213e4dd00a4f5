// require('path'): names of files as texts, in the way of Linux. There are no files.
(host) => {
  const { path } = host.library('vendor/path');
  host.library('faults').withCodes(path, [[/must be|serialize/, 'ERR_INVALID_ARG_TYPE']]);
  path.posix = path;
  return { path };
}
