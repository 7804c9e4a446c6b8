// The part of curl that the README uses, so that its tour can be run where there is no curl. An option that it does not
// know ends it, so that the README cannot use one unseen. The status of each response is added to the file STATUS_LOG.
import { appendFileSync } from 'node:fs';

const args = process.argv.slice(2);
const headers = new Headers();
const data = [];
let method;
let url;
let showHead = false;

while (args.length > 0) {
  const arg = args.shift();
  if (arg === '-i') showHead = true;
  else if (arg === '-s') continue;
  else if (arg === '-X') method = args.shift();
  else if (arg === '-d') data.push(args.shift());
  else if (arg === '--data-urlencode') {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(args.shift()) ?? fail('--data-urlencode without a name');
    data.push(`${name}=${encodeURIComponent(value)}`);
  } else if (arg === '-H') {
    const [, name, value] = /^([^:]+): (.*)$/s.exec(args.shift()) ?? fail('a header without a value');
    headers.set(name, value);
  } else if (arg.startsWith('-')) fail(`the option ${arg} is not known`);
  else if (url === undefined) url = arg;
  else fail('a second address');
}
if (url === undefined) fail('no address');
if (data.length > 0 && !headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded');

const response = await fetch(url, {
  method: method ?? (data.length > 0 ? 'POST' : 'GET'),
  headers,
  ...(data.length > 0 ? { body: data.join('&') } : {}),
});
if (process.env.STATUS_LOG) appendFileSync(process.env.STATUS_LOG, `${response.status}\n`);
if (showHead) process.stdout.write(`HTTP/1.1 ${response.status}\n`);
process.stdout.write(await response.text());

function fail(why) {
  process.stderr.write(`curl: ${why}\n`);
  process.exit(2);
}
