import {
  type CheckName,
  dismissFinding,
  type Finding,
  type FindingRepository,
  type Fix,
  fixOfFinding,
  listFindings,
  showFinding,
  textOfFinding,
} from '@hitherto/domain/checks';
import { printable } from '@hitherto/domain/format';
import { parseWebsiteChanges, updateWebsite, type Website, type WebsiteDependencies } from '@hitherto/domain/websites';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { useLocale } from '../shared/locale.tsx';
import { sendPage } from '../shared/page.tsx';
import { findingPath, listPath, statisticsPath, websitePath } from '../shared/paths.ts';
import { queryParameters } from '../shared/request.ts';
import { type ById, frameOf, websiteOf } from './found-website.ts';
import { Done } from './notices.tsx';
import { accountOf, authorOf, requireWriteScope, viewerOf } from './session.ts';
import { WebsiteFrame } from './website-frame.tsx';

export interface FindingRoutesDependencies extends WebsiteDependencies {
  readonly findings: FindingRepository;
}

type OfFinding = { Params: { readonly id: string; readonly finding: string } };

/** What checks have found on a website (checks.md); the scope has a session. */
export function findingRoutes(scope: FastifyInstance, deps: FindingRoutesDependencies): void {
  const keyOf = (request: FastifyRequest, website: Website) => ({
    accountId: accountOf(request),
    websiteId: website.id,
  });

  scope.get<ById>(websitePath(':id', 'findings'), async (request, reply) => {
    const website = await websiteOf(deps, request);
    const findings = await listFindings(deps, keyOf(request, website));
    const frame = frameOf(request, website, 'findings');
    return sendPage(
      reply,
      <WebsiteFrame {...frame}>
        <Findings
          website={website}
          findings={findings}
          canWrite={frame.canWrite}
          isDone={queryParameters(request).has('done')}
        />
      </WebsiteFrame>,
    );
  });

  scope.register(async (writing) => {
    requireWriteScope(writing);

    writing.post<OfFinding>(findingPath(':id', ':finding', 'dismiss'), async (request, reply) => {
      const website = await websiteOf(deps, request);
      await dismissFinding(deps, keyOf(request, website), request.params.finding.toLowerCase());
      return reply.redirect(websitePath(website.id, 'findings'), 303);
    });

    writing.post<OfFinding>(findingPath(':id', ':finding', 'fix'), async (request, reply) => {
      const website = await websiteOf(deps, request);
      const finding = await showFinding(deps, keyOf(request, website), request.params.finding.toLowerCase());
      const changes = changesBy(fixOfFinding(finding, website));
      if (changes !== undefined) {
        await updateWebsite({ ...deps, author: authorOf(request) }, viewerOf(request), website.id, changes);
      }
      return reply.redirect(`${websitePath(website.id, 'findings')}?done`, 303);
    });
  });
}

/** The settings that close a finding; `undefined` where something else does. */
function changesBy(fix: Fix) {
  if (fix.kind === 'url') return parseWebsiteChanges({ url: fix.url });
  return fix.kind === 'exclude_param' ? parseWebsiteChanges({ excludedParams: fix.excludedParams }) : undefined;
}

interface FindingsProps {
  readonly website: Website;
  readonly findings: readonly Finding[];
  readonly canWrite: boolean;
  readonly isDone: boolean;
}

function Findings({ website, findings, canWrite, isDone }: FindingsProps) {
  const { words } = useLocale();
  const open = findings.filter(({ status }) => status === 'open');
  const past = findings.filter(({ status }) => status !== 'open');
  return (
    <>
      <Done text={isDone ? words.findings.done : undefined} />
      <p>{words.findings.about}</p>
      {open.length === 0 && <p>{words.findings.none}</p>}
      {open.length > 0 && (
        <section>
          <h2>{words.findings.open}</h2>
          <ul class="card definitions">
            {open.map((finding) => (
              <FindingItem key={finding.id} website={website} finding={finding} canWrite={canWrite} />
            ))}
          </ul>
          {canWrite && <p class="hint">{words.findings.dismissHint}</p>}
        </section>
      )}
      {past.length > 0 && (
        <section>
          <h2>{words.findings.past}</h2>
          <ul class="card definitions">
            {past.map((finding) => (
              <FindingItem key={finding.id} website={website} finding={finding} canWrite={false} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface FindingItemProps {
  readonly website: Website;
  readonly finding: Finding;
  readonly canWrite: boolean;
}

function FindingItem({ website, finding, canWrite }: FindingItemProps) {
  const locale = useLocale();
  const { findings } = locale.words;
  const names: Readonly<Record<CheckName, string>> = findings.names;
  const { status } = finding;
  const since = findings.since(locale.format.dayOfYear(finding.since));
  return (
    <li class="opens">
      <div>
        <strong>{names[finding.check]}</strong>
        <p>
          <bdi>{printable(textOfFinding(finding, locale))}</bdi>
        </p>
        <p class="hint">{status === 'open' ? since : `${since} · ${findings[status]}`}</p>
      </div>
      {status === 'open' && (
        <div class="buttons">
          <FixOf website={website} finding={finding} canWrite={canWrite} />
          {canWrite && (
            <form method="post" action={findingPath(website.id, finding.id, 'dismiss')}>
              <button class="plain" type="submit">
                {findings.dismiss}
              </button>
            </form>
          )}
        </div>
      )}
    </li>
  );
}

/** The button that closes a finding, or a link to what it is about. */
function FixOf({ website, finding, canWrite }: FindingItemProps) {
  const { findings } = useLocale().words;
  const fix = fixOfFinding(finding, website);
  switch (fix.kind) {
    case 'url':
    case 'exclude_param':
      return canWrite ? (
        <form method="post" action={findingPath(website.id, finding.id, 'fix')}>
          <button type="submit">{fix.kind === 'url' ? findings.setUrl(fix.url) : findings.exclude(fix.param)}</button>
        </form>
      ) : null;
    case 'cleanup': {
      const chosen = Object.entries(fix.filters).flatMap(([name, values]) => values.map((value) => [name, value]));
      const query = new URLSearchParams(chosen.filter(([name]) => name !== 'bounce'));
      const page = statisticsPath(website.id);
      return <a href={`${fix.erases ? listPath(page, 'page') : page}?${query}`}>{findings.showVisits}</a>;
    }
    case 'snippet':
      return <a href={websitePath(website.id, 'snippet')}>{findings.snippet}</a>;
    case 'none':
      return null;
  }
}
