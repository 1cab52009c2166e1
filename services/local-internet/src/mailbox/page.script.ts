/** The script of the web mailbox. Content enters the page only as text. */
export const PAGE_SCRIPT = String.raw`'use strict';
(() => {
const byId = (id) => document.getElementById(id);

function make(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'class') node.className = value;
    else if (value !== undefined && value !== null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const TONES = { pass: 'good', fail: 'bad', permerror: 'bad', softfail: 'warn', temperror: 'warn', policy: 'warn' };
const tone = (word) => TONES[word] || '';

function sizeText(octets) {
  if (octets < 1024) return octets + ' B';
  const kib = octets / 1024;
  return kib < 1024 ? kib.toFixed(kib < 10 ? 1 : 0) + ' KB' : (kib / 1024).toFixed(1) + ' MB';
}

function badge(name, word, why) {
  return make('span', { class: 'badge ' + tone(word), title: why || undefined }, make('b', {}, name), ' ' + word);
}

function badges(message) {
  const why = message.auth_details || { spf: '', dkim: [], dmarc: '' };
  const keys = why.dkim.map((key) => key.domain + ' (' + key.selector + '): ' + key.result + (key.comment ? ', ' + key.comment : ''));
  return make('div', { class: 'badges' },
    badge('SPF', message.auth.spf, why.spf), badge('DKIM', message.auth.dkim, keys.join('\n')),
    badge('DMARC', message.auth.dmarc, why.dmarc),
    make('span', { class: 'badge ' + (message.tls ? 'good' : '') }, make('b', {}, 'TLS'), message.tls ? ' yes' : ' no'),
    make('span', { class: 'badge' }, sizeText(message.size)));
}

function header(message, name) {
  const found = message.headers.find((line) => line.name.toLowerCase() === name);
  return found ? found.value : '';
}

function people(message) {
  const rows = [['From', message.from || '(no From header)'], ['To', message.to.join(', ')],
    ['Date', new Date(message.received_at).toLocaleString()]];
  return make('dl', { class: 'people' }, ...rows.flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, value)]));
}

/** Its page in the console: the message of this recipient, where several share a Message-ID. */
function timeline(message) {
  const base = document.documentElement.dataset.console;
  const id = header(message, 'message-id').trim().replace(/^<|>$/g, '');
  if (!base || !id) return null;
  const to = message.to.length === 1 ? '?recipient=' + encodeURIComponent(message.to[0]) : '';
  return make('a', { class: 'timeline', href: base + '/messages/' + encodeURIComponent(id) + to, target: '_blank', rel: 'noreferrer' },
    'Its timeline');
}

function files(message, url) {
  if (message.attachments.length === 0) return null;
  return make('div', { class: 'files' }, ...message.attachments.map((file) =>
    make('a', { class: 'file', href: url + '/attachments/' + file.index, download: file.name, title: file.content_type },
      make('span', {}, file.name), make('span', { class: 'size' }, sizeText(file.size)))));
}

function factTable(rows) {
  return make('table', { class: 'facts' }, make('tbody', {}, ...rows.map(([name, value]) =>
    make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, value)))));
}

function frame(url, withImages) {
  return make('iframe', { title: 'Message', sandbox: 'allow-popups allow-popups-to-escape-sandbox',
    referrerpolicy: 'no-referrer', src: url + '/html' + (withImages ? '?images=1' : '') });
}

function htmlPane(message, url) {
  if (!message.has_remote_images) return [frame(url, false)];
  const note = make('div', { class: 'note' }, 'Images from elsewhere are not loaded.');
  const view = frame(url, false);
  note.append(make('button', { type: 'button', onclick: () => { note.remove(); view.replaceWith(frame(url, true)); } }, 'Load images'));
  return [note, view];
}

function sourcePane(url) {
  const pre = make('pre', {}, 'Loading…');
  fetch(url + '/raw').then((response) => response.text()).then((text) => {
    const most = 512 * 1024;
    text = text.replaceAll('\r\n', '\n');
    pre.textContent = text.length > most ? text.slice(0, most) + '\n\n… (the download has the rest)' : text;
  }).catch(() => { pre.textContent = 'The source could not be loaded.'; });
  return [pre];
}

function envelopePane(message) {
  const why = message.auth_details || { spf: '', dkim: [], dmarc: '' };
  return [factTable([['MAIL FROM', '<' + message.envelope_from + '>'], ...message.to.map((address) => ['RCPT TO', '<' + address + '>']),
    ['HELO', message.helo], ['Sent from', message.remote_address], ['Encrypted', message.tls ? 'yes' : 'no'],
    ['Message-ID', header(message, 'message-id') || '(none)'], ['SPF', message.auth.spf + (why.spf ? ' · ' + why.spf : '')],
    ...(why.dkim.length ? why.dkim.map((key) => ['DKIM', key.result + ' · ' + key.domain + ', selector ' + key.selector + (key.comment ? ', ' + key.comment : '')]) : [['DKIM', message.auth.dkim]]),
    ['DMARC', message.auth.dmarc + (why.dmarc ? ' · ' + why.dmarc : '')],
    ...message.reports.map((report) => ['Reported', report.kind + ' of <' + report.recipient + '> to <' + report.to + '> · ' + (report.reply || 'waits')])])];
}

let lastTab = 'html';

function showMessage(message, onBack) {
  const url = '/api/messages/' + message.id;
  const panes = {
    html: ['HTML', () => htmlPane(message, url)],
    text: ['Text', () => [make('pre', { class: 'prose' }, message.text || '(no text part)')]],
    source: ['Source', () => sourcePane(url)],
    headers: ['Headers', () => [factTable(message.headers.map((line) => [line.name, line.value]))]],
    envelope: ['Envelope', () => envelopePane(message)],
  };
  if (!message.has_html) delete panes.html;
  const body = make('div', { class: 'body', role: 'tabpanel' });
  const tabs = Object.entries(panes).map(([id, [label]]) =>
    make('button', { class: 'tab', type: 'button', role: 'tab', 'data-id': id, onclick: () => choose(id, true) }, label));
  function choose(id, remember) {
    if (remember) lastTab = id;
    for (const tab of tabs) tab.setAttribute('aria-selected', String(tab.dataset.id === id));
    body.replaceChildren(...panes[id][1]());
  }
  byId('message').replaceChildren(
    make('div', { class: 'head' },
      make('button', { class: 'quiet back', type: 'button', onclick: onBack }, '‹ All messages'),
      make('h2', {}, message.subject || '(no subject)'), people(message), timeline(message), badges(message), files(message, url),
      make('div', { class: 'tabs' }, make('div', { role: 'tablist', 'aria-label': 'Parts' }, ...tabs),
        make('a', { class: 'download', href: url + '/raw', download: message.id + '.eml' }, 'Download .eml'))),
    body);
  choose(panes[lastTab] ? lastTab : 'text', false);
}

function showNothing(text) {
  byId('message').replaceChildren(make('p', { class: 'nothing' }, text));
}

// The list, kept fresh.
const REFRESH_MS = 1500;
const PAGE = 200;
// as many as the mailbox keeps
const MOST = 10000;
let shown = PAGE;
const HINT = 'Choose a message to read it.';
let rows = new Map();
let selected = '';
let lastTurn = 0;
let timer = 0;

const search = byId('search');
const inputs = [search, ...byId('filters').elements];
const TEXT_FIELDS = new Set(['INPUT', 'TEXTAREA']);
const list = byId('list');

function nameOf(from) {
  const quoted = /^\s*"?([^"<]*?)"?\s*<([^>]*)>/.exec(from);
  return quoted ? (quoted[1].trim() || quoted[2]) : from;
}

function timeText(at) {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return today ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' })
    : date.toLocaleDateString([], { day: 'numeric', month: 'short' });
}

function dots(auth) {
  const words = Object.entries(auth);
  const label = words.map(([name, word]) => name.toUpperCase() + ' ' + word).join(', ');
  return make('span', { class: 'dots', title: label, role: 'img', 'aria-label': label }, ...words.map(([, word]) => make('span', { class: 'dot ' + tone(word) })));
}

function row(message, isNew) {
  const name = nameOf(message.from || message.envelope_from || 'nobody');
  return make('li', { 'data-id': message.id, 'data-auth': JSON.stringify(message.auth) },
    make('button', { class: 'row' + (isNew ? ' new' : ''), type: 'button', 'aria-current': String(message.id === selected), onclick: () => select(message.id) },
      make('span', { class: 'who' }, name), make('time', { class: 'when', datetime: message.received_at }, timeText(message.received_at)),
      make('span', { class: 'what' }, message.subject || '(no subject)'),
      make('span', { class: 'to' }, 'to ' + message.to.join(', ')), dots(message.auth)));
}

function showList(messages, isFirst, hasMore) {
  const before = rows;
  rows = new Map();
  for (const message of messages) {
    const old = before.get(message.id);
    const same = old && old.dataset.auth === JSON.stringify(message.auth);
    rows.set(message.id, same ? old : row(message, !old && !isFirst));
  }
  // Rows that stay are not moved, so the scroll position and the focus stay with them.
  for (const [id, node] of before) if (rows.get(id) !== node) node.remove();
  let at = list.firstElementChild;
  for (const node of rows.values()) {
    if (node === at) at = at.nextElementSibling;
    else list.insertBefore(node, at);
  }
  const empty = byId('empty');
  empty.hidden = rows.size > 0;
  empty.textContent = filterText() ? 'Nothing fits this search.' : 'No mail yet.\nWhatever the service sends to a .test address arrives here.';
  document.title = rows.size ? 'Mailbox (' + rows.size + (hasMore ? '+' : '') + ')' : 'Mailbox';
  byId('more').hidden = !hasMore;
}

function showState(text, isLost) {
  const state = byId('state');
  if (state.textContent !== text) state.textContent = text;
  state.classList.toggle('lost', Boolean(isLost));
}

/** The filters, as in the address of the page and of the API. */
function filterText() {
  const pairs = inputs.map((input) => [input.name, input.value.trim()]).filter(([, value]) => value);
  return new URLSearchParams(pairs).toString();
}

function addressOf(id) {
  const text = filterText();
  return location.pathname + (text && '?' + text) + (id ? '#' + id : '');
}

let shownFor = null;
async function refresh() {
  clearTimeout(timer);
  const turn = ++lastTurn;
  const text = filterText();
  // one more than is shown says whether there are older ones
  const limit = Math.min(shown + 1, MOST);
  try {
    const response = await fetch('/api/messages?wait=0&limit=' + limit + (text && '&' + text), { cache: 'no-cache' });
    const { messages } = await response.json();
    if (turn !== lastTurn) return;
    const hasMore = messages.length > shown;
    const page = messages.slice(0, shown);
    // those of an older page are not new
    showList(page, shownFor !== text + shown, hasMore);
    shownFor = text + shown;
    showState(hasMore ? 'newest ' + page.length + ' messages' : page.length + (page.length === 1 ? ' message' : ' messages'));
  } catch {
    if (turn === lastTurn) showState('not connected', true);
  }
  if (turn === lastTurn) timer = setTimeout(refresh, document.hidden ? REFRESH_MS * 10 : REFRESH_MS);
}

async function select(id) {
  selected = id;
  for (const [other, node] of rows) node.firstElementChild.setAttribute('aria-current', String(other === id));
  byId('main').classList.toggle('reading', Boolean(id));
  history.replaceState(null, '', addressOf(id));
  if (!id) return showNothing(HINT);
  try {
    const response = await fetch('/api/messages/' + encodeURIComponent(id));
    const message = await response.json();
    if (selected !== id) return;
    if (response.ok) showMessage(message, () => select(''));
    else showNothing('This message is no longer here.');
  } catch {
    if (selected === id) showNothing('This message could not be loaded.');
  }
}

function step(by) {
  const ids = [...rows.keys()];
  const next = ids[Math.max(0, Math.min(ids.length - 1, ids.indexOf(selected) + by))];
  if (!next) return;
  select(next);
  rows.get(next).scrollIntoView({ block: 'nearest' });
}

function narrow(isOpen) {
  byId('filters').hidden = !isOpen;
  byId('narrow').setAttribute('aria-expanded', String(isOpen));
}

for (const input of inputs) {
  input.value = new URLSearchParams(location.search).get(input.name) || '';
  input.addEventListener('input', () => {
    shown = PAGE;
    history.replaceState(null, '', addressOf(selected));
    clearTimeout(timer);
    timer = setTimeout(refresh, 120);
  });
}
narrow(inputs.some((input) => input !== search && input.value));
byId('filters').addEventListener('submit', (event) => event.preventDefault());
byId('narrow').addEventListener('click', () => narrow(byId('filters').hidden));
byId('more').addEventListener('click', () => { shown = Math.min(shown + PAGE, MOST - 1); refresh(); });
byId('clear').addEventListener('click', async () => {
  if (!confirm('Delete all messages in this mailbox?')) return;
  await fetch('/api/messages', { method: 'DELETE' }).catch(() => {});
  select('');
  refresh();
});
document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
document.addEventListener('keydown', (event) => {
  if (TEXT_FIELDS.has(event.target.tagName)) { if (event.key === 'Escape') event.target.blur(); return; }
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const keys = { j: () => step(1), k: () => step(-1), '/': () => search.focus() };
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
refresh();
select(decodeURIComponent(location.hash.slice(1)));
})();
`;
