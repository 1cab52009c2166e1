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
      make('h2', {}, message.subject || '(no subject)'), people(message), badges(message), files(message, url),
      make('div', { class: 'tabs', role: 'tablist' }, ...tabs,
        make('a', { class: 'download', href: url + '/raw', download: message.id + '.eml' }, 'Download .eml'))),
    body);
  choose(panes[lastTab] ? lastTab : 'text', false);
}

function showNothing(text) {
  byId('message').replaceChildren(make('p', { class: 'nothing' }, text));
}

// The list, kept fresh.
const REFRESH_MS = 1500;
const SHOWN = 200;
const HINT = 'Choose a message to read it.';
let rows = new Map();
let selected = '';
let lastTurn = 0;
let timer = 0;

const search = byId('search');
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

function avatar(name) {
  let hue = 0;
  for (const char of name) hue = (hue * 31 + char.codePointAt(0)) % 360;
  const circle = make('span', { class: 'avatar', 'aria-hidden': 'true' }, ([...name.replace(/[^\p{L}\p{N}]/gu, '')][0] || '?').toUpperCase());
  circle.style.background = 'hsl(' + hue + ' 45% 45%)';
  return circle;
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
      avatar(name), make('span', { class: 'who' }, name), make('time', { class: 'when', datetime: message.received_at }, timeText(message.received_at)),
      make('span', { class: 'what' }, message.subject || '(no subject)'),
      make('span', { class: 'to' }, 'to ' + message.to.join(', ')), dots(message.auth)));
}

function showList(messages, isFirst) {
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
  empty.textContent = search.value ? 'Nothing fits this search.' : 'No mail yet.\nWhatever the service sends to a .test address arrives here.';
  document.title = rows.size ? 'Mailbox (' + rows.size + (rows.size === SHOWN ? '+' : '') + ')' : 'Mailbox';
}

function showState(text, isLost) {
  const state = byId('state');
  if (state.textContent !== text) state.textContent = text;
  state.classList.toggle('lost', Boolean(isLost));
}

let shownFor = null;
async function refresh() {
  clearTimeout(timer);
  const turn = ++lastTurn;
  const text = search.value.trim();
  try {
    const response = await fetch('/api/messages?wait=0&limit=' + SHOWN + '&q=' + encodeURIComponent(text), { cache: 'no-cache' });
    const { messages } = await response.json();
    if (turn !== lastTurn) return;
    showList(messages, shownFor !== text);
    shownFor = text;
    showState(messages.length === SHOWN ? 'newest ' + SHOWN + ' messages' : messages.length + (messages.length === 1 ? ' message' : ' messages'));
  } catch {
    if (turn === lastTurn) showState('not connected', true);
  }
  if (turn === lastTurn) timer = setTimeout(refresh, document.hidden ? REFRESH_MS * 10 : REFRESH_MS);
}

async function select(id) {
  selected = id;
  for (const [other, node] of rows) node.firstElementChild.setAttribute('aria-current', String(other === id));
  byId('main').classList.toggle('reading', Boolean(id));
  history.replaceState(null, '', id ? '#' + id : location.pathname);
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

search.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(refresh, 120); });
byId('clear').addEventListener('click', async () => {
  if (!confirm('Delete all messages in this mailbox?')) return;
  await fetch('/api/messages', { method: 'DELETE' }).catch(() => {});
  select('');
  refresh();
});
document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
document.addEventListener('keydown', (event) => {
  if (event.target === search) { if (event.key === 'Escape') search.blur(); return; }
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const keys = { j: () => step(1), k: () => step(-1), '/': () => search.focus() };
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
refresh();
select(decodeURIComponent(location.hash.slice(1)));
})();
`;
