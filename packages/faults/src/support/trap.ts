/** Something to do when a point is reached for a certain time. */
export interface Sprung<Point, Act> {
  readonly point: Point;
  readonly act: Act;
}

export type Trap<Point, Act> = ReturnType<typeof createTrap<Point, Act>>;

export function createTrap<Point, Act>() {
  let left = 0;
  let waiting: Sprung<Point, Act> | undefined;
  return {
    /** Waits for a point; `after` is how often it is passed before. */
    set(point: Point, after: number, act: Act) {
      left = after;
      waiting = { point, act };
    },
    clear() {
      waiting = undefined;
    },
    /** The action for this moment, if it is the awaited one; then nothing is awaited any more. */
    spring(isReached: (point: Point) => boolean = () => true): Sprung<Point, Act> | undefined {
      if (waiting === undefined || !isReached(waiting.point)) return undefined;
      left -= 1;
      if (left >= 0) return undefined;
      const sprung = waiting;
      waiting = undefined;
      return sprung;
    },
  };
}
