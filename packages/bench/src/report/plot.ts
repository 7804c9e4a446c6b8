import type { OperationName } from '../operations.ts';
import { type Results, samplesOf } from '../results.ts';
import { spreadOf } from '../spread.ts';
import type { VariantName } from '../variants.ts';

const WIDTH = 760;
const LEFT = 250;
const RIGHT = 120;
const BAR = 22;
const GAP = 8;
const LABELS: Record<VariantName, string> = {
  bare: 'bare node:http + pg',
  usual: 'Fastify + Kysely, as usual',
  hitherto: 'Hitherto',
  quiet: 'Hitherto, logs and limits off',
  embedded: 'Hitherto embedded',
};

/** A bar chart of requests per second by operation and variant; thin lines show the range from minimum to maximum. */
export function plotOf(results: Results): string {
  const operations = Object.keys(results.samples) as OperationName[];
  const parts: string[] = [];
  let y = 58;
  for (const operation of operations) {
    const variants = (Object.keys(LABELS) as VariantName[]).flatMap((name) => {
      const samples = samplesOf(results, operation, name);
      return samples.length === 0 ? [] : [{ name, ...spreadOf(samples.map((sample) => sample.requestsPerSecond)) }];
    });
    const most = Math.max(...variants.map(({ max }) => max));
    const x = (value: number) => LEFT + (value / most) * (WIDTH - LEFT - RIGHT);
    parts.push(`<text x="16" y="${y}" class="operation">${operation}</text>`);
    y += 12;
    for (const { name, median, min, max } of variants) {
      const middle = y + BAR / 2;
      const kind = name === 'bare' || name === 'usual' ? 'rival' : 'own';
      parts.push(
        `<text x="${LEFT - 10}" y="${middle + 4}" text-anchor="end">${LABELS[name]}</text>`,
        `<rect x="${LEFT}" y="${y}" width="${round(x(median) - LEFT)}" height="${BAR}" class="${kind}"/>`,
        `<path d="M${round(x(min))} ${middle}H${round(x(max))}" class="spread"/>`,
        `<text x="${round(x(max)) + 8}" y="${middle + 4}">${Math.round(median).toLocaleString('en')}/s</text>`,
      );
      y += BAR + GAP;
    }
    y += 30;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="Requests per second by operation and variant">
<style>text{fill:#1f2328}.title{font-size:16px;font-weight:600}.operation{font-weight:600}.own{fill:#1a7f5a}.rival{fill:#9aa4b0}.spread{stroke:#1f2328;stroke-width:1.5}</style>
<rect width="${WIDTH}" height="${y}" fill="#ffffff"/>
<text x="16" y="28" class="title">Requests per second, ${results.connections} connections: median and range of ${results.rounds} rounds</text>
${parts.join('\n')}
</svg>
`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
