import type { Kysely } from 'kysely';
import { accounts } from './0001/accounts.ts';
import { days } from './0001/days.ts';
import { engines } from './0001/engines.ts';
import { hits } from './0001/hits.ts';
import { imports } from './0001/imports.ts';
import { queues } from './0001/queues.ts';
import { resources } from './0001/resources.ts';
import { websites } from './0001/websites.ts';

/**
 * The schema of the first release. No column has a default where a rule of the domain decides. Statistics refer to a website by
 * its number and without a foreign key, because deleting a website must not wait for millions of hits; all else that belongs to
 * a website or an account is deleted with it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [accounts, websites, resources, queues, hits, days, imports, engines].flat();
  for (const statement of statements) await statement.execute(db);
}
