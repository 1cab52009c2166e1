/** The half of the page's script that shows one letter. Content only ever enters the page as text. */
export const LETTER_SCRIPT = String.raw`
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

function badges(letter) {
  const why = letter.auth_details || { spf: '', dkim: [], dmarc: '' };
  const keys = why.dkim.map((key) => key.domain + ' (' + key.selector + '): ' + key.result + (key.comment ? ', ' + key.comment : ''));
  return make('div', { class: 'badges' },
    badge('SPF', letter.auth.spf, why.spf), badge('DKIM', letter.auth.dkim, keys.join('\n')),
    badge('DMARC', letter.auth.dmarc, why.dmarc),
    make('span', { class: 'badge ' + (letter.tls ? 'good' : '') }, make('b', {}, 'TLS'), letter.tls ? ' yes' : ' no'),
    make('span', { class: 'badge' }, sizeText(letter.size)));
}

function header(letter, name) {
  const found = letter.headers.find((line) => line.name.toLowerCase() === name);
  return found ? found.value : '';
}

function people(letter) {
  const rows = [['From', letter.from || '(no From header)'], ['To', letter.to.join(', ')],
    ['Date', new Date(letter.received_at).toLocaleString()]];
  return make('dl', { class: 'people' }, ...rows.flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, value)]));
}

function files(letter, url) {
  if (letter.attachments.length === 0) return null;
  return make('div', { class: 'files' }, ...letter.attachments.map((file) =>
    make('a', { class: 'file', href: url + '/attachments/' + file.index, download: file.name, title: file.content_type },
      make('span', {}, file.name), make('span', { class: 'size' }, sizeText(file.size)))));
}

function facts(rows) {
  return make('table', { class: 'facts' }, make('tbody', {}, ...rows.map(([name, value]) =>
    make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, value)))));
}

function frame(url, withImages) {
  return make('iframe', { title: 'Message', sandbox: 'allow-popups allow-popups-to-escape-sandbox',
    referrerpolicy: 'no-referrer', src: url + '/html' + (withImages ? '?images=1' : '') });
}

function htmlPane(letter, url) {
  if (!letter.has_remote_images) return [frame(url, false)];
  const note = make('div', { class: 'note' }, 'Images from elsewhere are not loaded.');
  const view = frame(url, false);
  note.append(make('button', { type: 'button', onclick: () => { note.remove(); view.replaceWith(frame(url, true)); } }, 'Load images'));
  return [note, view];
}

function sourcePane(url) {
  const pre = make('pre', {}, 'Loading…');
  fetch(url + '/raw').then((answer) => answer.text()).then((text) => {
    const most = 512 * 1024;
    text = text.replaceAll('\r\n', '\n');
    pre.textContent = text.length > most ? text.slice(0, most) + '\n\n… (the download has the rest)' : text;
  }).catch(() => { pre.textContent = 'The source could not be loaded.'; });
  return [pre];
}

function envelopePane(letter) {
  const why = letter.auth_details || { spf: '', dkim: [], dmarc: '' };
  return [facts([['MAIL FROM', '<' + letter.envelope_from + '>'], ...letter.to.map((address) => ['RCPT TO', '<' + address + '>']),
    ['HELO', letter.helo], ['Sent from', letter.remote_address], ['Encrypted', letter.tls ? 'yes' : 'no'],
    ['Message-ID', header(letter, 'message-id') || '(none)'], ['SPF', letter.auth.spf + (why.spf ? ' · ' + why.spf : '')],
    ...(why.dkim.length ? why.dkim.map((key) => ['DKIM', key.result + ' · ' + key.domain + ', selector ' + key.selector + (key.comment ? ', ' + key.comment : '')]) : [['DKIM', letter.auth.dkim]]),
    ['DMARC', letter.auth.dmarc + (why.dmarc ? ' · ' + why.dmarc : '')]])];
}

let lastTab = 'html';

function showLetter(letter, onBack) {
  const url = '/api/messages/' + letter.id;
  const panes = {
    html: ['HTML', () => htmlPane(letter, url)],
    text: ['Text', () => [make('pre', { class: 'prose' }, letter.text || '(no text part)')]],
    source: ['Source', () => sourcePane(url)],
    headers: ['Headers', () => [facts(letter.headers.map((line) => [line.name, line.value]))]],
    envelope: ['Envelope', () => envelopePane(letter)],
  };
  if (!letter.has_html) delete panes.html;
  const body = make('div', { class: 'body', role: 'tabpanel' });
  const tabs = Object.entries(panes).map(([id, [label]]) =>
    make('button', { class: 'tab', type: 'button', role: 'tab', 'data-id': id, onclick: () => choose(id, true) }, label));
  function choose(id, remember) {
    if (remember) lastTab = id;
    for (const tab of tabs) tab.setAttribute('aria-selected', String(tab.dataset.id === id));
    body.replaceChildren(...panes[id][1]());
  }
  byId('letter').replaceChildren(
    make('div', { class: 'head' },
      make('button', { class: 'quiet back', type: 'button', onclick: onBack }, '‹ All messages'),
      make('h2', {}, letter.subject || '(no subject)'), people(letter), badges(letter), files(letter, url),
      make('div', { class: 'tabs', role: 'tablist' }, ...tabs,
        make('a', { class: 'download', href: url + '/raw', download: letter.id + '.eml' }, 'Download .eml'))),
    body);
  choose(panes[lastTab] ? lastTab : 'text', false);
}

function showNothing(text) {
  byId('letter').replaceChildren(make('p', { class: 'nothing' }, text));
}
`;
