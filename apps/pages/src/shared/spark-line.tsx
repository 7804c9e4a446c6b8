import { line } from 'd3-shape';

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
  const xOf = (index: number) => (values.length < 2 ? WIDTH : (index / (values.length - 1)) * WIDTH);
  const yOf = (value: number) => HEIGHT - 2 - (value / highest) * (HEIGHT - 6);
  const pathOf = line<number>()
    .x((_, index) => xOf(index))
    .y(yOf)
    .digits(0);
  const path = pathOf([...values]) ?? '';
  return (
    <svg class="spark-line" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="fill" d={`${path}V${HEIGHT}H${xOf(0)}Z`} />
      {before.length > 0 && <path class="before" d={pathOf([...before]) ?? ''} />}
      <path class="line" d={path} />
    </svg>
  );
}
