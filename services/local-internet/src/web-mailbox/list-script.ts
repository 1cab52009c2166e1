/** The half of the page's script that keeps the list of letters fresh. */
export const LIST_SCRIPT = String.raw`
const REFRESH_MS = 1500;
const SHOWN = 200;
const HINT = 'Choose a message to read it.';
let rows = new Map();
let selected = '';
let asked = 0;
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

function face(name) {
  let hue = 0;
  for (const char of name) hue = (hue * 31 + char.codePointAt(0)) % 360;
  const circle = make('span', { class: 'face', 'aria-hidden': 'true' }, ([...name.replace(/[^\p{L}\p{N}]/gu, '')][0] || '?').toUpperCase());
  circle.style.background = 'hsl(' + hue + ' 45% 45%)';
  return circle;
}

function dots(auth) {
  const words = Object.entries(auth);
  const label = words.map(([name, word]) => name.toUpperCase() + ' ' + word).join(', ');
  return make('span', { class: 'dots', title: label, role: 'img', 'aria-label': label }, ...words.map(([, word]) => make('span', { class: 'dot ' + tone(word) })));
}

function row(letter, isNew) {
  const name = nameOf(letter.from || letter.envelope_from || 'nobody');
  return make('li', { 'data-id': letter.id, 'data-auth': JSON.stringify(letter.auth) },
    make('button', { class: 'row' + (isNew ? ' new' : ''), type: 'button', 'aria-current': String(letter.id === selected), onclick: () => select(letter.id) },
      face(name), make('span', { class: 'who' }, name), make('time', { class: 'when', datetime: letter.received_at }, timeText(letter.received_at)),
      make('span', { class: 'what' }, letter.subject || '(no subject)'),
      make('span', { class: 'to' }, 'to ' + letter.to.join(', ')), dots(letter.auth)));
}

function showList(letters, isFirst) {
  const known = rows;
  rows = new Map();
  for (const letter of letters) {
    const old = known.get(letter.id);
    const same = old && old.dataset.auth === JSON.stringify(letter.auth);
    rows.set(letter.id, same ? old : row(letter, !old && !isFirst));
  }
  // Rows that stay are not moved, so the scroll position and the focus stay with them.
  for (const [id, node] of known) if (rows.get(id) !== node) node.remove();
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

function say(text, isLost) {
  const state = byId('state');
  if (state.textContent !== text) state.textContent = text;
  state.classList.toggle('lost', Boolean(isLost));
}

let shownFor = null;
async function refresh() {
  clearTimeout(timer);
  const turn = ++asked;
  const text = search.value.trim();
  try {
    const answer = await fetch('/api/messages?wait=0&limit=' + SHOWN + '&q=' + encodeURIComponent(text), { cache: 'no-cache' });
    const { messages } = await answer.json();
    if (turn !== asked) return;
    showList(messages, shownFor !== text);
    shownFor = text;
    say(messages.length === SHOWN ? 'newest ' + SHOWN + ' messages' : messages.length + (messages.length === 1 ? ' message' : ' messages'));
  } catch {
    if (turn === asked) say('not connected', true);
  }
  if (turn === asked) timer = setTimeout(refresh, document.hidden ? REFRESH_MS * 10 : REFRESH_MS);
}

async function select(id) {
  selected = id;
  for (const [other, node] of rows) node.firstElementChild.setAttribute('aria-current', String(other === id));
  byId('main').classList.toggle('reading', Boolean(id));
  history.replaceState(null, '', id ? '#' + id : location.pathname);
  if (!id) return showNothing(HINT);
  try {
    const answer = await fetch('/api/messages/' + encodeURIComponent(id));
    const letter = await answer.json();
    if (selected !== id) return;
    if (answer.ok) showLetter(letter, () => select(''));
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
`;
