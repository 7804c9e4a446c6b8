import { createHash } from 'node:crypto';
import pg from 'pg';

/** Where a rival listens. */
export const LISTEN = { port: Number(process.env.PORT ?? 0), host: '127.0.0.1' };

/** As many connections as Hitherto's pool has. */
export const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

process.on('SIGTERM', () => process.exit());

/** The stored form of the key in `Authorization: Bearer KEY`. */
export function keyHashOf(authorization = ''): string {
  return createHash('sha256')
    .update(authorization.replace(/^Bearer /, ''))
    .digest('hex');
}

/** A hit as the tracker sends it. */
export interface SentHit {
  readonly website: string;
  readonly url: string;
  readonly referrer?: string;
}

export interface WebsiteRow {
  readonly id: string;
  readonly scheme: string;
  readonly address: string;
  readonly privacy: 'public' | 'private' | 'password';
  readonly password_hash: string | null;
  readonly email_reports: boolean;
  readonly exclude_bots: boolean;
  readonly excluded_params: string[];
  readonly excluded_ips: string[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The columns of a website, besides its lists: those are read as JSON, as Hitherto does, because pg parses arrays slowly. */
export const COLUMNS = [
  'id',
  'scheme',
  'address',
  'privacy',
  'password_hash',
  'email_reports',
  'exclude_bots',
  'created_at',
  'updated_at',
] as const;

/** The same fields as in Hitherto's response. */
export function toResource(row: WebsiteRow) {
  return {
    id: row.id,
    url: `${row.scheme}://${row.address}`,
    privacy: { public: 0, private: 1, password: 2 }[row.privacy],
    has_password: row.password_hash !== null,
    email: row.email_reports ? 1 : 0,
    exclude_bots: row.exclude_bots ? 1 : 0,
    exclude_params: row.excluded_params.length === 0 ? null : row.excluded_params.join('\n'),
    exclude_ips: row.excluded_ips.length === 0 ? null : row.excluded_ips.join('\n'),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
