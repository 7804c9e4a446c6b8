import { zipOf } from './zip.ts';

/** Tables of an export of Plausible with two days, by the names of their entries. */
export const PLAUSIBLE_TABLES: Readonly<Record<string, string>> = {
  // The order of entries differs from the order of the tables.
  imported_sources: `date,source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,pageviews,visitors,visits,visit_duration,bounces
2023-01-02,Google,google.com/,,,spring,,,3,2,2,40,0
2023-01-02,Google,google.com/,,,,,,3,2,2,20,1
2023-01-02,,,,,,,,3,1,1,10,0
2023-01-03,Direct / None,,,,,,,4,2,2,0,2
`,
  imported_visitors: `date,visitors,pageviews,bounces,visits,visit_duration
2023-01-02,3,9,1,5,70
2023-01-03,2,4,2,2,0
`,
  imported_pages: `date,hostname,page,visits,visitors,pageviews,total_scroll_depth,total_scroll_depth_visits
2023-01-02,example.com,/,4,3,6,\\N,\\N
2023-01-02,example.com,"/é, ""b""",1,1,3,10,1
2023-01-03,example.com,/,2,2,4,0,0
`,
  imported_entry_pages: `date,entry_page,visitors,entrances,visit_duration,bounces,pageviews
2023-01-02,/,3,5,70,1,9
2023-01-03,/,2,2,0,2,4
`,
  imported_exit_pages: `date,exit_page,visitors,visit_duration,exits,bounces,pageviews
2023-01-02,/,3,70,5,1,9
2023-01-03,/,2,0,2,2,4
`,
  imported_custom_events: `date,name,link_url,path,visitors,events
2023-01-02,Signup,,,2,2
2023-01-02,Outbound Link: Click,https://a.example,,1,3
2023-01-02,Outbound Link: Click,https://b.example,,1,1
2023-01-02,engagement,,,3,90
`,
  imported_locations: `date,country,region,city,visitors,visits,visit_duration,bounces,pageviews
2023-01-02,DE,DE-BE,2950159,2,3,40,0,5
2023-01-02,DE,DE-BY,2867714,1,1,30,1,3
2023-01-03,FR,,0,2,2,0,2,4
`,
  imported_devices: `date,device,visitors,visits,visit_duration,bounces,pageviews
2023-01-02,Desktop,1,2,30,0,5
2023-01-02,Laptop,1,2,30,0,3
2023-01-02,Mobile,1,1,10,1,1
2023-01-03,Tablet,2,2,0,2,4
`,
  imported_browsers: `date,browser,browser_version,visitors,visits,visit_duration,bounces,pageviews
2023-01-02,Microsoft Edge,108,3,5,70,1,9
2023-01-03,Ecosia Browser,1,2,2,0,2,4
`,
  imported_operating_systems: `date,operating_system,operating_system_version,visitors,visits,visit_duration,bounces,pageviews
2023-01-02,Mac,10.15,3,5,70,1,9
2023-01-03,(not set),,2,2,0,2,4
`,
};

/** The ZIP of an export of Plausible, with these tables in the place of others; `undefined` leaves one out. */
export function plausibleExport(changed: Readonly<Record<string, string | undefined>> = {}): Buffer {
  const tables = Object.entries({ ...PLAUSIBLE_TABLES, ...changed });
  return zipOf(
    ...tables.flatMap(([name, content]) =>
      content === undefined ? [] : [{ name: `${name}_20230102_20230103.csv`, content }],
    ),
  );
}
