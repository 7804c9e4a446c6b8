import { DomainError } from '../base/errors.ts';
import { nextVersion } from '../base/versions.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Finding } from './finding.ts';
import type { FindingRepository } from './finding-repository.ts';

interface FindingDependencies {
  readonly findings: Pick<FindingRepository, 'list' | 'record'>;
  readonly now: () => Date;
}

/** The findings of a website, open ones first, last opened first. Rejects with `not_found` where there is no such website. */
export async function listFindings(
  { findings }: Pick<FindingDependencies, 'findings'>,
  website: WebsiteKey,
): Promise<Finding[]> {
  const all = await findings.list(website);
  if (all === undefined) throw notFound();
  const rank = ({ status }: Finding) => Number(status !== 'open');
  return all.toSorted((a, b) => rank(a) - rank(b));
}

/** A finding of a website. Rejects with `not_found`. */
export async function showFinding(
  deps: Pick<FindingDependencies, 'findings'>,
  website: WebsiteKey,
  id: string,
): Promise<Finding> {
  const found = (await listFindings(deps, website)).find((finding) => finding.id === id);
  if (found === undefined) throw notFound();
  return found;
}

/** Dismisses a finding until it worsens. One that is not open stays as it is. Rejects with `not_found`. */
export async function dismissFinding(deps: FindingDependencies, website: WebsiteKey, id: string): Promise<Finding> {
  for (;;) {
    const finding = await showFinding(deps, website, id);
    if (finding.status !== 'open') return finding;
    const dismissed: Finding = { ...finding, status: 'dismissed', updatedAt: nextVersion(finding, deps.now()) };
    const change = { finding: dismissed, expected: finding.updatedAt, event: undefined };
    if ((await deps.findings.record(website, [change])) === 1) return dismissed;
  }
}

function notFound(): DomainError {
  return new DomainError('not_found', 'There is no such website, or no such finding.');
}
