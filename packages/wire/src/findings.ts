import { type Finding, type Fix, fixOfFinding, textOfFinding } from '@hitherto/domain/checks';
import type { Website } from '@hitherto/domain/websites';
import { inSnakeCase } from './webhook-message.ts';
import { SETTING_FIELDS } from './website-fields.ts';

/** A request to the API. */
interface FixRequest {
  readonly method: 'PATCH' | 'POST';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What closes a finding: a request, which may have a preview. */
export interface WrittenFix {
  readonly kind: Fix['kind'];
  readonly request: FixRequest | null;
  readonly preview: FixRequest | null;
}

/** A finding as the API writes it. */
export function writeFinding(finding: Finding, website: Website) {
  return {
    id: finding.id,
    check: finding.check,
    since: finding.since,
    evidence: inSnakeCase(finding.evidence),
    text: textOfFinding(finding),
    fix: writeFix(fixOfFinding(finding, website), website),
    status: finding.status,
    opened_at: finding.openedAt.toISOString(),
    updated_at: finding.updatedAt.toISOString(),
  };
}

/** The fix of a finding as a request. */
function writeFix(fix: Fix, { id }: Website): WrittenFix {
  const path = `/api/v1/websites/${id}`;
  const change = (body: FixRequest['body']): WrittenFix => ({
    kind: fix.kind,
    request: { method: 'PATCH', path, body },
    preview: null,
  });
  switch (fix.kind) {
    case 'url':
      return change({ url: fix.url });
    case 'exclude_param': {
      const { name, write } = SETTING_FIELDS.excludedParams;
      const body = { [name]: write(fix.excludedParams) };
      return { ...change(body), preview: { method: 'POST', path: `${path}/settings/preview`, body } };
    }
    case 'cleanup': {
      const { name, filters, from } = fix;
      const body = { name, filters, match: 'all', from, to: null };
      const post = (address: string): FixRequest => ({ method: 'POST', path: address, body });
      return { kind: 'cleanup', request: post(`${path}/cleanups`), preview: post(`${path}/cleanups/preview`) };
    }
    case 'snippet':
    case 'none':
      return { kind: fix.kind, request: null, preview: null };
  }
}
