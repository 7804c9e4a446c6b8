import type { OperationName } from '../operations.ts';
import type { Results } from '../results.ts';
import type { Sample } from '../rounds.ts';
import type { SizeResult, Timing } from '../scale.ts';

/** All measured sizes of accounts, in both databases. */
export function sizesOf({ scale }: Results): readonly SizeResult[] {
  return [...(scale?.sizes ?? []), ...(scale?.largest === undefined ? [] : [scale.largest.size])];
}

/** The slowest search in the account of 1 M, of those whose names have one of these prefixes. */
export function worstSearch({ scale }: Results, ...prefixes: readonly string[]): Timing | undefined {
  const million = scale?.sizes.find(({ websites }) => websites === 1_000_000);
  return slowest(
    million?.timings.filter(({ request }) => prefixes.some((prefix) => request.startsWith(`search: ${prefix}`))),
  );
}

/** The slowest request in one account of 1,000. */
export function worstOfMany({ scale }: Results): Timing | undefined {
  return slowest(scale?.oneOfMany);
}

/** The size of account whose total is slowest. */
export function worstTotal(results: Results): SizeResult | undefined {
  return most(sizesOf(results), ({ firstPage }) => firstPage.countMs);
}

/** The round after which Hitherto used the most memory. */
export function mostMemory({ samples }: Results): { operation: OperationName; memory: number } | undefined {
  const rounds = Object.entries(samples).flatMap(([operation, all]: [string, readonly Sample[]]) =>
    all
      .filter(({ variant }) => variant === 'hitherto')
      .flatMap(({ memory }) => (memory === undefined ? [] : [{ operation: operation as OperationName, memory }])),
  );
  return most(rounds, ({ memory }) => memory);
}

function slowest(timings: readonly Timing[] | undefined): Timing | undefined {
  return most(timings ?? [], ({ p50 }) => p50);
}

function most<T>(all: readonly T[], figure: (one: T) => number): T | undefined {
  return all.toSorted((a, b) => figure(b) - figure(a))[0];
}
