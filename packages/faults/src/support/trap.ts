/** Something to do when a point is reached for a certain time. */
export interface Sprung<Point, Act> {
  readonly point: Point;
  readonly act: Act;
}

export interface Trap<Point, Act> {
  /** Waits for a point; `after` is how often it is passed before. */
  set(point: Point, after: number, act: Act): void;
  clear(): void;
  /** What to do now, if this is the time; then nothing is waited for any more. */
  spring(isReached?: (point: Point) => boolean): Sprung<Point, Act> | undefined;
}

export function createTrap<Point, Act>(): Trap<Point, Act> {
  let left = 0;
  let waiting: Sprung<Point, Act> | undefined;
  return {
    set(point, after, act) {
      left = after;
      waiting = { point, act };
    },
    clear() {
      waiting = undefined;
    },
    spring(isReached = () => true) {
      if (waiting === undefined || !isReached(waiting.point)) return undefined;
      left -= 1;
      if (left >= 0) return undefined;
      const sprung = waiting;
      waiting = undefined;
      return sprung;
    },
  };
}
