import closeWithGrace from 'close-with-grace';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** A second signal within this time is the same Ctrl-C: the terminal also signals npm, which forwards it. */
const SAME_MS = 1_000;

/**
 * Ends the process at SIGINT, SIGTERM or an uncaught error, after `stop`, or once that takes longer than `delay` milliseconds.
 * A second signal ends it immediately.
 */
export function stopAtSignals(delay: number, stop: (error: Error | undefined) => Promise<void>): void {
  let since: number | undefined;
  const { close } = closeWithGrace({ delay, logger: false, skip: ['beforeExit', ...SIGNALS] }, ({ err }) => {
    since ??= performance.now();
    return stop(err);
  });
  const onSignal = () => {
    if (since === undefined) close();
    else if (performance.now() - since > SAME_MS) process.exit(1);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
}
