/** Values of all templates below: an order, an account, a digest, an event. */
export const VALUES = {
  name: 'Ann Lee',
  first_name: 'Ann',
  nickname: '',
  nothing: null,
  yes: true,
  no: false,
  zero: 0,
  count: 3,
  price: 19.5,
  subject: 'Your order A-17',
  url: 'https://shop.example.com/orders/17',
  note: 'Tom & Jerry <tj@example.com>',
  html: '<b>bold</b>',
  plan: 'gold',
  person: { first: 'Ann', last: 'Lee', address: { city: 'Oslo', zip: '0150' }, tags: ['a', 'b'] },
  company: { name: 'Shop Ltd', 'support-mail': 'help@shop.example.com', phone: '' },
  items: [
    { sku: 'T-1', title: 'Tea', quantity: 2, price: '4.00', options: ['green', 'loose'], gift: false },
    { sku: 'C-2', title: 'Cup & saucer', quantity: 1, price: '11.50', options: [], gift: true },
  ],
  numbers: [10, 20, 30],
  words: ['one', 'two', 'three'],
  empty: [],
  matrix: [
    [1, 2],
    [3, 4],
  ],
  totals: { subtotal: '15.50', shipping: '4.00', total: '19.50' },
  people: [
    { name: 'Bo', email: 'bo@example.com', orders: [{ id: 'B-1' }, { id: 'B-2' }] },
    { name: 'Cy', email: '', orders: [] },
  ],
};

const ITEMS = '{{#each items}}<tr><td>{{title}}</td><td>{{quantity}}</td><td>{{price}}</td></tr>\n{{/each}}';

/** Handlebars as mail templates write it: one a line where it is short. */
export const CORPUS: readonly string[] = [
  // values
  'Hello {{name}}!',
  'Hello {{ name }}, welcome.',
  '<p>Hi {{first_name}},</p>\n<p>Thank you for order {{subject}}.</p>',
  '{{missing}}',
  '[{{nothing}}][{{nickname}}][{{zero}}][{{yes}}][{{no}}]',
  '{{person.first}} {{person.last}}',
  '{{person.address.city}} {{person.address.zip}}',
  '{{person/address/city}}',
  '{{person.missing.deeper}}',
  '{{note}}',
  '{{{note}}}',
  '{{&html}} and {{{html}}}',
  '<a href="{{url}}">{{url}}</a>',
  '<a href="{{{url}}}?utm_source=mail">Open</a>',
  '{{count}} items for {{price}}',
  '{{items.[0].title}}',
  '{{items.1.title}}',
  '{{words.[0]}}, {{words.[2]}}',
  '{{company.[support-mail]}}',
  '{{company.support-mail}}',
  '{{items.length}} lines',
  '{{person.tags.length}}',
  '{{this.name}}',
  '{{./name}}',
  '{{@root.name}}',
  // text that is no template
  'a { b } c',
  'a {% b %} {# c #} d',
  'body{color:red}{{name}}',
  '<style>a{b:c}</style>{ {{name}} }',
  '{ {{{name}}} }',
  '\\{{name}}',
  'x = {{count}}; if (a) { b(); }',
  'Price: {{{price}}}%',
  '{%{{name}}%}',
  // comments
  'a{{! a comment }}b',
  'a{{!-- a comment with {{braces}} --}}b',
  '{{! first line }}\nsecond line\n',
  '<!-- html --> {{name}}',
  // whitespace
  'a {{~name~}} b',
  '<ul>\n{{#each words}}\n  <li>{{this}}</li>\n{{/each}}\n</ul>\n',
  '{{#if yes}}\n  yes\n{{else}}\n  no\n{{/if}}\nafter\n',
  '{{#if yes~}}\n  yes\n{{~/if}}',
  '  {{#if no}}\n a\n  {{else}}\n b\n  {{/if}}\n',
  '\r\n{{name}}\r\n',
  // if, unless
  '{{#if yes}}A{{/if}}',
  '{{#if no}}A{{/if}}',
  '{{#if no}}A{{else}}B{{/if}}',
  '{{#if nickname}}{{nickname}}{{else}}{{first_name}}{{/if}}',
  '{{#if missing}}A{{else}}B{{/if}}',
  '{{#if zero}}A{{else}}B{{/if}}',
  '{{#if empty}}A{{else}}B{{/if}}',
  '{{#if items}}You bought {{items.length}}.{{/if}}',
  '{{#if person.address}}{{person.address.city}}{{/if}}',
  '{{#if no}}A{{else if yes}}B{{else}}C{{/if}}',
  '{{#if no}}A{{else if zero}}B{{else}}C{{/if}}',
  '{{#if no}}A{{else if zero}}B{{else if plan}}C{{else}}D{{/if}}',
  '{{#unless no}}A{{/unless}}',
  '{{#unless yes}}A{{else}}B{{/unless}}',
  '{{#unless missing}}none{{/unless}}',
  '{{#if yes}}{{#if no}}A{{else}}B{{/if}}{{/if}}',
  '{{^no}}A{{/no}}',
  '{{^empty}}nothing here{{/empty}}',
  '{{#if company.phone}}Call {{company.phone}}{{else}}Write to {{company.name}}{{/if}}',
  // each
  '{{#each words}}{{this}} {{/each}}',
  '{{#each words}}{{.}},{{/each}}',
  '{{#each numbers}}{{@index}}:{{this}};{{/each}}',
  '{{#each words}}{{#if @first}}[{{/if}}{{this}}{{#unless @last}}, {{/unless}}{{#if @last}}]{{/if}}{{/each}}',
  '{{#each empty}}A{{else}}none{{/each}}',
  '{{#each missing}}A{{else}}none{{/each}}',
  '{{#each missing}}A{{/each}}',
  ITEMS,
  `<table>\n${ITEMS}</table>\n<p>Total: {{totals.total}}</p>`,
  '{{#each items}}{{../name}} bought {{title}}. {{/each}}',
  '{{#each items}}{{@root.name}} bought {{this.title}}. {{/each}}',
  '{{#each items}}{{#if gift}}{{title}} is a gift{{else}}{{title}}{{/if}};{{/each}}',
  '{{#each items}}{{title}}: {{#each options}}{{this}} {{else}}plain{{/each}};{{/each}}',
  '{{#each items}}{{#each options}}{{../title}} {{this}} for {{../../name}};{{/each}}{{/each}}',
  '{{#each matrix}}{{#each this}}{{this}} {{/each}}|{{/each}}',
  '{{#each totals}}{{@key}}={{this}};{{/each}}',
  '{{#each words}}{{@key}}={{this}};{{/each}}',
  '{{#each people}}{{name}}{{#if email}} ({{email}}){{/if}}: {{#each orders}}#{{id}} {{else}}no orders{{/each}}\n{{/each}}',
  '{{#each people as |who|}}{{who.name}} {{/each}}',
  '{{#each words as |word at|}}{{at}}={{word}} {{/each}}',
  '{{#each person.tags}}#{{this}}{{/each}}',
  '{{#each items}}{{@index}}. {{{title}}}{{#unless @last}}<br>{{/unless}}{{/each}}',
  // with
  '{{#with person}}{{first}} {{last}}{{/with}}',
  '{{#with person}}{{first}} of {{../company.name}}{{/with}}',
  '{{#with person.address}}{{city}}, {{zip}}{{/with}}',
  '{{#with missing}}A{{else}}B{{/with}}',
  '{{#with person as |p|}}{{p.first}}{{/with}}',
  '{{#with company}}{{#if phone}}{{phone}}{{else}}{{name}}{{/if}}{{/with}}',
  '{{#with person}}{{#each tags}}{{../first}}:{{this}} {{/each}}{{/with}}',
  // lookup
  '{{lookup words 1}}',
  '{{#each numbers}}{{lookup ../words @index}}={{this}} {{/each}}',
  '{{lookup totals "total"}}',
  // whole mails
  '<html><body style="margin:0">\n<h1>Hi {{first_name}}</h1>\n{{#if items}}\n<ul>\n{{#each items}}\n<li>{{quantity}} x {{title}} at {{price}}</li>\n{{/each}}\n</ul>\n{{else}}\n<p>Your basket is empty.</p>\n{{/if}}\n<p>{{company.name}}</p>\n</body></html>',
  'Reset your password: {{{url}}}\nThe link works for {{count}} hours.\n\nIf it was not you, {{#if company.phone}}call {{company.phone}}{{else}}write to us{{/if}}.',
  '{{#each people}}\nDear {{name}},\n{{#if orders}}\nyou have {{orders.length}} orders:\n{{#each orders}}\n- {{id}} ({{../name}})\n{{/each}}\n{{else}}\nyou have no orders.\n{{/if}}\n{{/each}}',
];

/** With the helpers that SendGrid adds. */
export const SENDGRID_CORPUS: readonly string[] = [
  '{{#equals plan "gold"}}Thank you!{{else}}Upgrade{{/equals}}',
  '{{#equals count 3}}three{{/equals}}',
  '{{#notEquals plan "gold"}}A{{else}}B{{/notEquals}}',
  '{{#greaterThan count 2}}many{{else}}few{{/greaterThan}}',
  '{{#lessThan count 2}}few{{else}}many{{/lessThan}}',
  '{{#and yes plan}}both{{else}}not both{{/and}}',
  '{{#or no plan}}one{{else}}none{{/or}}',
  '{{#if (and yes (equals plan "gold"))}}A{{else}}B{{/if}}',
  '{{insert nickname "default=friend"}}',
  '{{insert first_name "default=friend"}}',
  '{{length items}}',
  '{{#greaterThan (length items) 1}}several{{/greaterThan}}',
];

/** Templates that render otherwise, with our output; or that are refused, with the problem and its line. */
export const DIFFERENT: Readonly<
  Record<string, string | { readonly line: number; readonly problem: string }>
> = {
  // Handlebars joins a list with commas
  '{{words}}': '[&quot;one&quot;, &quot;two&quot;, &quot;three&quot;]',
  // and writes [object Object]
  '{{person.address}}': '{&quot;city&quot;: &quot;Oslo&quot;, &quot;zip&quot;: &quot;0150&quot;}',
  // it writes &#x27; &#x60; and &#x3D;, which browsers show the same
  '{{insert nickname "default=it\'s"}}': 'it&#39;s',
  '{{> footer}}': {
    line: 1,
    problem: 'partials ({{> footer}}) are not in our language: put its content here',
  },
  'a\n{{#person}}{{first}}{{/person}}': {
    line: 2,
    problem:
      '{{#person}} is a loop, a scope or a test, as its value is: write {{#each person}}, {{#with person}} or {{#if person}}',
  },
};
