/**
 * Runs tasks in the order in which they are given, after the input that has arrived, and no more than `most` in a turn of the
 * event loop: other requests get theirs in between.
 */
export function createTurns(most: number): (task: () => void) => void {
  let waiting: (() => void)[] = [];

  function turn(): void {
    const tasks = waiting;
    waiting = tasks.splice(most);
    if (waiting.length > 0) setImmediate(turn);
    for (const task of tasks) task();
  }

  return (task) => {
    if (waiting.push(task) === 1) setImmediate(turn);
  };
}
