/** The columns of Umami 3.1 that a hit is written to, and its indexes by their columns (its prisma/schema.prisma). */
const TABLES = {
  website: {
    columns: 'website_id uuid primary key, domain varchar(500), deleted_at timestamptz(6)',
    indexes: [],
  },
  session: {
    columns: `session_id uuid primary key, website_id uuid not null, browser varchar(20), os varchar(20), device varchar(20),
      screen varchar(11), language varchar(35), country char(2), region varchar(20), city varchar(50),
      distinct_id varchar(50), created_at timestamptz(6)`,
    indexes: [
      'created_at',
      'website_id',
      'website_id, created_at',
      ...['browser', 'os', 'device', 'screen', 'language', 'country', 'region', 'city'].map(byTime),
    ],
  },
  website_event: {
    columns: `event_id uuid primary key, website_id uuid not null, session_id uuid not null, visit_id uuid not null,
      created_at timestamptz(6), url_path varchar(500) not null, url_query varchar(500), utm_source varchar(255),
      utm_medium varchar(255), utm_campaign varchar(255), utm_content varchar(255), utm_term varchar(255),
      referrer_path varchar(500), referrer_query varchar(500), referrer_domain varchar(500), page_title varchar(500),
      gclid varchar(255), fbclid varchar(255), msclkid varchar(255), ttclid varchar(255), li_fat_id varchar(255),
      twclid varchar(255), event_type integer not null default 1, event_name varchar(50), tag varchar(50),
      hostname varchar(100), lcp numeric(10, 1), inp numeric(10, 1), cls numeric(10, 4), fcp numeric(10, 1),
      ttfb numeric(10, 1)`,
    indexes: [
      'created_at',
      'session_id',
      'visit_id',
      'website_id',
      'website_id, created_at',
      'website_id, session_id, created_at',
      'website_id, visit_id, created_at',
      ...['url_path', 'url_query', 'referrer_domain', 'page_title', 'event_name', 'tag', 'hostname'].map(byTime),
    ],
  },
} as const;

function byTime(column: string): string {
  return `website_id, created_at, ${column}`;
}

/** The statements that create these tables in a schema of their own. */
export const UMAMI_SCHEMA: readonly string[] = [
  'create schema umami',
  ...Object.entries(TABLES).flatMap(([table, { columns, indexes }]) => [
    `create table umami.${table} (${columns})`,
    ...indexes.map((list) => `create index on umami.${table} (${list})`),
  ]),
];
