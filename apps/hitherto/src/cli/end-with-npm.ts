const CHECK_MS = 500;

/**
 * Ends this process, as SIGTERM does, when the npm that runs it has ended. npm may not pass signals on: npx starts a shell, which ends
 * without its child.
 */
export function endWithNpm(env: Readonly<Record<string, string | undefined>>): void {
  if (env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_MS);
  timer.unref();
}
