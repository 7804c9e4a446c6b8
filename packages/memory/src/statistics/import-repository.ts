import { DomainError } from '@hitherto/domain/base';
import { IMPORT_LEASE_MS, type Import, type ImportRepository, MAX_RUNNING_IMPORTS } from '@hitherto/domain/imports';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { audit } from '../audit-trail.ts';
import type { State } from '../state.ts';
import { deliver } from '../webhooks/deliveries.ts';
import { sumsOf } from './crawler-repository.ts';
import type { EngineState, ImportState } from './state.ts';

/** Stores imports in `engine`; imports of deleted websites count as absent. */
export function createImportRepository(state: State, engine: EngineState): ImportRepository {
  const hasWebsite = ({ accountId, websiteId }: WebsiteKey) =>
    state.accounts.get(accountId)?.websites.has(websiteId) === true;

  const importsOf = (website: WebsiteKey): ImportState[] =>
    hasWebsite(website)
      ? [...engine.imports.values()].filter(({ imported }) => imported.websiteId === website.websiteId)
      : [];

  const running = (id: string): ImportState | undefined => {
    const known = engine.imports.get(id);
    return known?.imported.status === 'running' ? known : undefined;
  };

  const shown = ({ imported, isReading }: ImportState): Import =>
    structuredClone({ ...imported, ...(imported.status === 'running' && !isReading ? { waits: true } : {}) });

  const isAlive = ({ imported, reportedAt }: ImportState, now: Date) =>
    imported.status === 'running' && now.getTime() - reportedAt.getTime() < IMPORT_LEASE_MS;

  /** Whether no import of the account reads its file, and there is room behind the accounts whose last import began earlier. */
  const isNext = ({ accountId }: ImportState, now: Date): boolean => {
    const all = [...engine.imports.values()].map((known, number) => ({ known, number }));
    const alive = all.filter(({ known }) => isAlive(known, now));
    const reading = alive.filter(({ known }) => known.isReading);
    const readers = new Set(reading.map(({ known }) => known.accountId));
    const lastOf = (id: string) =>
      all.findLast(({ known }) => known.accountId === id && (known.isReading || known.imported.status !== 'running'))
        ?.number ?? -1;
    const waiting = [...new Set(alive.map(({ known }) => known.accountId))]
      .filter((id) => !readers.has(id))
      .sort((a, b) => lastOf(a) - lastOf(b));
    const place = waiting.indexOf(accountId);
    return place !== -1 && reading.length + place < MAX_RUNNING_IMPORTS;
  };

  return {
    async insert(website, added, change) {
      if (!hasWebsite(website)) throw new DomainError('not_found', 'The website is gone.');
      const earlier = importsOf(website).find(
        ({ imported }) => imported.sha256 === added.sha256 && imported.status !== 'failed',
      );
      if (earlier !== undefined) return shown(earlier);
      const { accountId } = website;
      const imported: Import = structuredClone(added);
      engine.imports.set(added.id, {
        accountId,
        imported,
        hits: [],
        sums: [],
        crawled: [],
        logs: [],
        days: [],
        isReading: false,
        reportedAt: added.createdAt,
      });
      audit(state, change);
      return undefined;
    },

    async list(website) {
      if (!hasWebsite(website)) return undefined;
      return importsOf(website).map(shown);
    },

    async listDone(limit) {
      const done = [...engine.imports.values()].flatMap((known) => {
        const { accountId, imported } = known;
        const website = state.accounts.get(accountId)?.websites.get(imported.websiteId);
        return website === undefined || imported.status !== 'done'
          ? []
          : [{ url: website.url, imported: shown(known) }];
      });
      return done.slice(0, limit);
    },

    async find(website, id) {
      const found = importsOf(website).find(({ imported }) => imported.id === id);
      return found && shown(found);
    },

    async begin(id, now, turn = 'own') {
      const own = running(id);
      if (own === undefined) return 'gone';
      own.reportedAt = now;
      if (turn === 'own' && !isNext(own, now)) return 'waits';
      own.isReading = true;
      return 'begun';
    },

    async report(id, counts, now) {
      const own = running(id);
      if (own === undefined) return false;
      own.imported = { ...own.imported, ...structuredClone(counts) };
      own.reportedAt = now;
      return true;
    },

    async stageCrawlers(id, crawled) {
      running(id)?.crawled.push(...crawled.flatMap(sumsOf));
    },

    async fail(id, problem, counts, event) {
      const own = running(id);
      if (own === undefined) return false;
      own.imported = { ...own.imported, ...structuredClone(counts), status: 'failed', problem };
      deliver(state, event);
      return true;
    },

    async findAbandoned(now) {
      const abandoned = [...engine.imports.values()].find(
        (known) => known.imported.status === 'running' && !isAlive(known, now),
      );
      if (abandoned === undefined) return undefined;
      const { websiteId } = abandoned.imported;
      const owner = [...state.accounts.values()].find(({ websites }) => websites.has(websiteId));
      return { imported: shown(abandoned), accountId: owner?.account.id ?? abandoned.accountId };
    },

    async importedDays(websiteId, period = { from: '', to: '9999-12-31' }) {
      const all = [...engine.imports.values()].filter(
        ({ imported }) => imported.websiteId === websiteId && imported.status === 'done',
      );
      const days = all.flatMap(({ imported: { id: importId, format, sums }, days: of }) =>
        of.map((day) => ({ day, importId, format, ...(sums === undefined ? {} : { sums }) })),
      );
      return days.filter(({ day }) => period.from <= day && day <= period.to).sort((a, b) => (a.day < b.day ? -1 : 1));
    },
  };
}
