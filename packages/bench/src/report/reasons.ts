/**
 * Why a figure may miss its target, by the figure's name; told only where it does. Times and blocks are those of EXPLAIN
 * (analyze, buffers) on the statements of packages/adapters/src/postgres, on the machine that docs/performance.md names.
 */
export const REASONS: Readonly<Record<string, string>> = {
  'store, against as usually written':
    'both variants wait for the same disk and fill the same indexes, which is most of what a store costs; only the rest can differ.',
  'search at 1 M: rare term':
    'each trigram of the term has a list in the index, over all accounts; the longest of them are read in part.',
  'search at 1 M: any term of 3 or more':
    'the worst is the term that is in a tenth of the urls and sorts late. Its 100,000 matches are found by the trigram index (30 to 60 ms), read from 19,000 blocks of the table and compared (66 to 108 ms), then kept to be sorted and counted (30 to 50 ms). To count and to sort in scans of their own took as long (104 + 44 ms), and so did window functions (150 ms) and two parallel workers (170 ms against 172). A walk in the order of the list is quick only where matches come early.',
  'search at 1 M: 1 or 2 characters':
    'so short a text has no trigram: where it occurs nowhere, all 1,000,000 websites are looked at in turn, about half a microsecond each. An index of single and paired characters would find that at once, for some 60 MB more at 1 M; what each store would pay for it was not measured.',
  'total without search, capped at 10,000':
    '10,001 entries of the primary key are counted, from 64 blocks of the index alone without a visit to the table: what remains is the time that PostgreSQL takes for an entry, 0.1 to 0.25 µs.',
  '1 M websites over 1,000 accounts: any request, p50':
    'the worst is a search that looks at all 1,000 websites of the account, in one statement that is planned for its text, so that no plan for a rare text is used for a frequent one: about 0.4 ms of planning, 2.5 ms of looking and counting, the rest on the way. A kept plan saved nothing that could be measured.',
  'memory of the API process under load':
    'it is what the collector has not yet freed: 100 rows a page at full load. A lower limit to the heap would hold it down and end the process where a moment needs more.',
};
