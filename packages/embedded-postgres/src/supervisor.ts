import { type ChildProcess, spawn } from 'node:child_process';
import type { ServerUser } from './server-user.ts';
import { CHILD_ENVIRONMENT } from './settings.ts';

// The shell outlives Hitherto on purpose. When its standard input ends, through stop() or because Hitherto died, it asks
// the program to end (for PostgreSQL, SIGINT is the fast shutdown), and again every second, because the first signal may
// come before the program handles it. It deletes nothing. It ignores signals, because ending would leave the program
// alone. The program does not: it must not get signals meant for Hitherto (operating.md, "Stopping"). It is a child of
// the shell, so its number is not reused before the shell has seen it end.
const script = `
exec 9<&0
trap : HUP INT TERM
"$@" 9<&- &
program=$!
{ trap '' HUP INT TERM; read -r _; while kill -INT $program && sleep 1; do :; done; } <&9 >/dev/null 2>&1 &
watcher=$!
exec 9<&-
while :; do
  wait $program
  status=$?
  kill -0 $program 2>/dev/null || break
done
kill -KILL $watcher
exit $status
`;

/** A program that ends when this process does. */
export interface Supervised {
  readonly child: ChildProcess;
  /** Resolves when the program has ended; `status` is its exit code, 128 or more for a signal. */
  readonly ended: Promise<{ status: number | undefined; reason: string }>;
  /** Asks the program to end; see `ended`. */
  end(): void;
}

interface SuperviseOptions {
  command: readonly string[];
  user: ServerUser | undefined;
  /** Added to the few variables that every such program gets. */
  environment?: Readonly<Record<string, string>>;
  /** The destination of standard output and error: a file descriptor, or a pipe. */
  stdout: number | 'pipe' | 'ignore';
  stderr: number | 'pipe' | 'ignore';
  /** Descriptors that the program inherits as 3, 4 and so on. */
  descriptors: readonly number[];
}

/** Starts a program in its own session, so that Ctrl-C in a terminal does not reach it. */
export function supervise(options: SuperviseOptions): Supervised {
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...options.command], {
    cwd: '/',
    detached: true,
    env: { ...CHILD_ENVIRONMENT, ...options.environment },
    stdio: ['pipe', options.stdout, options.stderr, ...options.descriptors],
    ...(options.user && { uid: options.user.uid, gid: options.user.gid }),
  });
  // The shell may end before the pipe is closed.
  child.stdin?.on('error', () => {});
  const ended = new Promise<{ status: number | undefined; reason: string }>((resolve) => {
    child.once('error', (error) => resolve({ status: undefined, reason: error.message }));
    child.once('exit', (status, signal) => {
      child.stdin?.destroy();
      resolve({ status: status ?? undefined, reason: signal ? `signal ${signal}` : `exit status ${status}` });
    });
  });

  return {
    child,
    ended,
    end() {
      child.stdin?.destroy();
    },
  };
}
