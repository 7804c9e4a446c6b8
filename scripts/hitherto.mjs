// Runs Hitherto from the sources: builds it if it is out of date, then becomes the program.
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';

const CHECK_MS = 500;

endWithNpm();
await import(pathToFileURL(await build()).href);

/** npm passes signals on to this process, which it runs in place of a shell. If npm is killed, this process stops too. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_MS);
  timer.unref();
}
