import { existsSync, writeFileSync } from 'node:fs';
import { writeFormatted } from '@hitherto/testing/formatted';
import { root } from '@hitherto/testing/machine';
import { readResults, resultFile } from '../results.ts';
import { readStatistics } from '../statistics/results.ts';
import { readSteady } from '../steady/results.ts';
import { documentOf } from './document.ts';
import { plotOf } from './plot.ts';
import { statisticsDocument } from './statistics-document.ts';
import { steadyDocument } from './steady-document.ts';
import { steadyPlot } from './steady-plot.ts';

/** Writes docs/performance.md and its plots from the last full results of all benchmarks. */
export function writeDocuments(): void {
  const parts = [statisticsDocument(readStatistics('full'))];
  const steady = readSteady();
  if (steady !== undefined) {
    parts.push(steadyDocument(steady));
    writeFileSync(`${root}docs/steady.svg`, steadyPlot(steady));
  }
  if (existsSync(resultFile('full'))) {
    const results = readResults('full');
    parts.push(documentOf(results));
    writeFileSync(`${root}docs/performance.svg`, plotOf(results));
  }
  writeFormatted(`${root}docs/performance.md`, `# Performance\n\n${INTRODUCTION}\n\n${parts.map(demoted).join('\n')}`);
}

const INTRODUCTION =
  'How fast Hitherto is, compared with targets that were set beforehand: [collecting hits and reading statistics](#statistics), [an hour of steady load](#a-steady-load), and [the API](#the-api). You can run the commands on your own machine; only figures "by hand" come from elsewhere. The load generator, the service and PostgreSQL share the machine.';

/** The text with every heading one level lower. */
function demoted(text: string): string {
  return text.replace(/^#/gm, '##');
}
