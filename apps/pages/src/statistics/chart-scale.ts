import type { Metric } from '@hitherto/domain/format';
import { scaleLinear } from 'd3-scale';

/** The height of the plot in pixels. */
export const PLOT_HEIGHT = 200;
/** Room above the highest value for its label. */
const TOP = 26;
/** The plot takes the available width: its lines are drawn in thousandths of it. */
export const PLOT_WIDTH = 1000;

export interface ChartScale {
  /** The height of a value, in pixels from the top. */
  readonly y: (value: number) => number;
  /** The place of a point, 0 at the left to 1 at the right. */
  readonly x: (index: number) => number;
  /** The values marked on the axis, including zero. */
  readonly ticks: readonly number[];
}

/** The scale of `count` points: the axis begins at zero and ends at a round value. */
export function chartScale(metric: Metric, count: number, values: readonly number[]): ChartScale {
  const highest = Math.max(0, ...values);
  const unit = unitOf(metric, highest);
  const inUnits = scaleLinear()
    .domain([0, Math.max(highest / unit, 1)])
    .nice(4)
    .range([PLOT_HEIGHT, TOP]);
  return {
    y: (value) => inUnits(value / unit),
    x: (index) => (count < 2 ? 0.5 : index / (count - 1)),
    ticks: inUnits
      .ticks(4)
      .filter(Number.isInteger)
      .map((tick) => tick * unit),
  };
}

/** The unit of round values: percent for a rate, minutes or hours for a long duration. */
function unitOf(metric: Metric, highest: number): number {
  if (metric === 'bounce_rate') return 0.01;
  if (metric !== 'visit_duration' || highest <= 90) return 1;
  return highest <= 5400 ? 60 : 3600;
}
