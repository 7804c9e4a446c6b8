import { area, line } from 'd3-shape';

const WIDTH = 160;
const HEIGHT = 40;

interface SparkLineProps {
  readonly values: readonly number[];
  /** As many values to compare with, dashed. */
  readonly before?: readonly number[];
}

/** Numbers per day as a small filled line from zero, without the numbers: these stand next to it. */
export function SparkLine({ values, before = [] }: SparkLineProps) {
  const highest = Math.max(1, ...values, ...before);
  const xOf = (_: number, index: number) => (values.length < 2 ? WIDTH : (index / (values.length - 1)) * WIDTH);
  const yOf = (value: number) => HEIGHT - 2 - (value / highest) * (HEIGHT - 6);
  const top = line<number>().x(xOf).y(yOf).digits(1);
  const filled = area<number>().x(xOf).y1(yOf).y0(HEIGHT).digits(1);
  return (
    <svg class="spark-line" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="fill" d={filled([...values]) ?? ''} />
      {before.length > 0 && <path class="before" d={top([...before]) ?? ''} />}
      <path class="line" d={top([...values]) ?? ''} />
    </svg>
  );
}
