import type { SteadyResult, SteadySample } from '../steady/run.ts';

interface Line {
  readonly label: string;
  readonly color: string;
  readonly of: (sample: SteadySample) => number;
}

interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

const PANELS: readonly Panel[] = [
  {
    title: 'Response time, p99 of 10 s, ms',
    lines: [
      { label: 'hits', color: '#1a7f5a', of: ({ hitP99 }) => hitP99 },
      { label: 'pages', color: '#9a5b13', of: ({ pageP99 }) => pageP99 },
    ],
  },
  {
    title: 'Memory, MB',
    lines: [
      { label: 'Hitherto', color: '#1a7f5a', of: ({ memory }) => memory },
      { label: 'PostgreSQL', color: '#3b5bbd', of: ({ databaseMemory }) => databaseMemory },
    ],
  },
  {
    title: 'CPU, cores',
    lines: [
      { label: 'Hitherto', color: '#1a7f5a', of: ({ cpu }) => cpu },
      { label: 'PostgreSQL', color: '#3b5bbd', of: ({ databaseCpu }) => databaseCpu },
    ],
  },
  { title: 'Disk, MB', lines: [{ label: 'database', color: '#3b5bbd', of: ({ disk }) => disk }] },
];

const WIDTH = 760;
const [LEFT, RIGHT, TOP] = [56, 110, 48];
const [HEIGHT, GAP] = [120, 44];

/** A chart of each panel over time. */
export function steadyPlot({ samples, hitsPerSecond, minutes }: SteadyResult): string {
  const last = samples.at(-1)?.minutes ?? 1;
  const x = (at: number) => round(LEFT + (at / last) * (WIDTH - LEFT - RIGHT));
  const height = TOP + PANELS.length * (HEIGHT + GAP);
  const panels = PANELS.map((panel, index) => panelOf(panel, TOP + index * (HEIGHT + GAP), samples, x));
  const title = `${hitsPerSecond} hits a second with pages being read, for ${minutes} minutes`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${title}">
<style>text{fill:#1f2328}.title{font-size:16px;font-weight:600}.panel{font-weight:600}.axis{stroke:#d0d7de}.line{fill:none;stroke-width:1.5}</style>
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
<text x="16" y="26" class="title">${title}</text>
${panels.join('\n')}
</svg>
`;
}

function panelOf(
  { title, lines }: Panel,
  top: number,
  samples: readonly SteadySample[],
  x: (at: number) => number,
): string {
  const most = ceiling(Math.max(...lines.flatMap(({ of }) => samples.map(of)).filter(Number.isFinite)));
  const bottom = top + HEIGHT;
  const y = (value: number) => round(bottom - (value / most) * (HEIGHT - 20));
  const points = (of: Line['of']) =>
    samples
      .flatMap((sample) => (Number.isFinite(of(sample)) ? [`${x(sample.minutes)},${y(of(sample))}`] : []))
      .join(' ');
  const end = samples.at(-1)?.minutes ?? 0;
  return [
    `<text x="16" y="${top + 6}" class="panel">${title}</text>`,
    ...[0, most / 2, most].map(
      (value) =>
        `<path d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}" class="axis"/><text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
    ),
    ...[0, end / 2, end].map(
      (at) => `<text x="${x(at)}" y="${bottom + 16}" text-anchor="middle">${at.toFixed(end < 10 ? 1 : 0)} min</text>`,
    ),
    ...lines.map(
      ({ label, color, of }, index) =>
        `<polyline points="${points(of)}" class="line" stroke="${color}"/><text x="${WIDTH - RIGHT + 12}" y="${top + 30 + index * 18}" style="fill:${color}">${label}</text>`,
    ),
  ].join('\n');
}

/** The next number of one or two digits and zeros. */
function ceiling(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((n) => Number((n * unit).toPrecision(2))).find((n) => n >= value) ?? value;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
