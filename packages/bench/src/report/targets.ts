import type { OperationName } from '../operations.ts';
import { type Results, samplesOf } from '../results.ts';
import type { Sample } from '../rounds.ts';
import type { SizeResult } from '../scale.ts';
import { paired } from '../spread.ts';
import type { VariantName } from '../variants.ts';
import { atMost, NOT_MEASURED, ratioAtLeast, ratioAtMost, type Target } from './target.ts';
import { mostMemory, sizesOf, worstOfMany, worstSearch, worstTotal } from './worst.ts';

type Pick = (sample: Sample) => number;
const rate: Pick = (sample) => sample.requestsPerSecond;
const nodeCpu: Pick = (sample) => sample.nodeCpu ?? Number.NaN;

/** The targets with the figures of this run. */
export function targetsOf(results: Results): Target[] {
  const ratio = (
    pick: Pick,
    operation: OperationName,
    variant: VariantName,
    base: VariantName,
    baseOperation = operation,
  ) => paired(samplesOf(results, operation, variant).map(pick), samplesOf(results, baseOperation, base).map(pick));
  return [
    ratioAtLeast('show, requests/s against bare', 1.3, 1.8, ratio(rate, 'show', 'hitherto', 'bare')),
    ratioAtLeast('show, against Kysely as usually written', 2, 2.5, ratio(rate, 'show', 'hitherto', 'usual')),
    ratioAtMost('show, node CPU per request against bare', 0.85, 0.6, ratio(nodeCpu, 'show', 'hitherto', 'bare')),
    ratioAtLeast(
      'show with a matching If-None-Match, against show',
      1,
      undefined,
      ratio(rate, 'show, If-None-Match', 'hitherto', 'hitherto', 'show'),
    ),
    ratioAtLeast('create, against as usually written', 1.5, 2, ratio(rate, 'create', 'hitherto', 'usual')),
    ratioAtLeast('update, against as usually written', 1.3, 1.5, ratio(rate, 'update', 'hitherto', 'usual')),
    ...scaleTargets(results),
    ratioAtLeast('embedded against own PostgreSQL (show)', 0.9, 1, ratio(rate, 'show', 'embedded', 'hitherto')),
    memoryTarget(results),
    ratioAtLeast(
      'as shipped against logs and limits off, metrics on in both (show)',
      0.55,
      0.8,
      ratio(rate, 'show', 'hitherto', 'quiet'),
    ),
  ];
}

function memoryTarget(results: Results): Target {
  const figure = 'memory of the API process under load, the most after any round';
  return atMost(figure, 200, 120, mostMemory(results)?.memory, 'MB');
}

function scaleTargets(results: Results): Target[] {
  const million = results.scale?.sizes.find(({ websites }) => websites === 1_000_000);
  const far = million && p50Of(million, 'page at 90 %') / p50Of(million, 'first page');

  return [
    buffersTarget(sizesOf(results)),
    {
      figure: 'list at 90 % of 1 M against page 1',
      must: '≤ 2 ×',
      aim: '1.2 ×',
      reached: far === undefined ? NOT_MEASURED : `${far.toFixed(2)} ×`,
      holds: far === undefined ? undefined : far <= 2,
    },
    atMost('search at 1 M: rare term', 10, 5, worstSearch(results, 'rare')?.p50),
    atMost('search at 1 M: any term of 3 or more', 150, 50, worstSearch(results, 'rare', 'term')?.p50),
    atMost('search at 1 M: 1 or 2 characters', 600, 50, worstSearch(results, '1', '2')?.p50),
    atMost('total without search, capped at 10,000', 2, undefined, worstTotal(results)?.firstPage.countMs),
    atMost('1 M websites over 1,000 accounts: any request, p50', 5, undefined, worstOfMany(results)?.p50),
  ];
}

function buffersTarget(sizes: readonly SizeResult[]): Target {
  const figures = sizes.flatMap(({ firstPage, farPage }) => [firstPage.pageBuffers, farPage.pageBuffers]);
  const most = Math.max(...figures);
  return {
    figure: 'list page of 25: shared buffers, first page and at 90 %',
    must: '≤ 40 + rows, flat',
    aim: '',
    reached: figures.length === 0 ? NOT_MEASURED : `${Math.min(...figures)} to ${most}`,
    holds: figures.length === 0 ? undefined : most <= 40 + 25,
  };
}

function p50Of({ timings }: SizeResult, request: string): number {
  return timings.find((timing) => timing.request === request)?.p50 ?? Number.NaN;
}
