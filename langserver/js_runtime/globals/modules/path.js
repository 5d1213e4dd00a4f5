// require('path'): names of files as texts, in the way of Linux. There are no files.
(host) => {
  const { path } = host.library('vendor/path');
  path.posix = path;
  return { path };
}
