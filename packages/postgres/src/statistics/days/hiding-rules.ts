import { chosenSets, type HidingRule, type VisitSet } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { WebsiteDay } from '../website-days.ts';

/** A select of the rules that hide visits of a website, as JSON. */
export function rulesAsJson(websiteNumber: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select coalesce(json_agg(json_build_object(
      'id', cleanup.id, 'match', content -> 'match', 'filters', content -> 'filters',
      'from', first_day::text, 'to', last_day::text
    ) order by cleanup.number), '[]')
    from cleanup where cleanup.website_number = ${websiteNumber} and status <> 'applying'
  )`;
}

/** The rules of the websites that have some, by their numbers. */
export async function rulesByWebsite({
  query,
}: Pick<Transaction, 'query'>): Promise<ReadonlyMap<string, readonly HidingRule[]>> {
  const { rows } = await query(
    once(sql<{ websiteNumber: string; rules: readonly HidingRule[] }>`
      select number as "websiteNumber", ${rulesAsJson(sql`website.number`)} as rules from website
      where number in (select website_number from cleanup where status <> 'applying')`),
  );
  return new Map(rows.map(({ websiteNumber, rules }) => [websiteNumber, rules]));
}

/** The rules that show pages of the websites that have some, by their numbers. */
export async function pageRulesByWebsite({
  query,
}: Pick<Transaction, 'query'>): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await query(
    once(sql<{ websiteNumber: string; rules: readonly string[] }>`
      select number as "websiteNumber", to_json(page_rules) as rules from website where page_rules <> '{}'`),
  );
  return new Map(rows.map(({ websiteNumber, rules }) => [websiteNumber, rules]));
}

/** The rules of the numbers of a day. */
export interface Counting {
  /** They choose the visits that count. */
  readonly filters: readonly VisitSet[];
  /** They show pages. */
  readonly pageRules: readonly string[];
}

/** Reads the rules of the numbers of days. */
export async function readCounting(transaction: Transaction): Promise<(day: WebsiteDay) => Counting> {
  const hiding = await rulesByWebsite(transaction);
  const showing = await pageRulesByWebsite(transaction);
  return ({ websiteNumber }) => ({
    filters: chosenSets([], hiding.get(websiteNumber) ?? [], undefined),
    pageRules: showing.get(websiteNumber) ?? [],
  });
}
