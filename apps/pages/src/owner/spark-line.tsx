import { line } from 'd3-shape';

const WIDTH = 120;
const HEIGHT = 28;

/** Visitors per day as a small line from zero, without numbers: these stand next to it. */
export function SparkLine({ values }: { readonly values: readonly number[] }) {
  const highest = Math.max(1, ...values);
  const path = line<number>()
    .x((_, index) => (values.length < 2 ? WIDTH : (index / (values.length - 1)) * WIDTH))
    .y((value) => HEIGHT - 1 - (value / highest) * (HEIGHT - 3))
    .digits(1);
  return (
    <svg class="spark-line" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={path([...values]) ?? ''} />
    </svg>
  );
}
