// @ts-check
// The pages of the site, in their order: the one list, of which navigation, llms.txt and the search are made. A page that
// docs/ has and that no section names is built as well; links lead to it.

/** @typedef {{ source: string, title: string, about: string }} Page `source` below docs/, or made by generated-pages.mjs */
/** @typedef {{ title: string, pages: Page[] }} Section */

/** @param {string} source @param {string} title @param {string} about @returns {Page} */
const page = (source, title, about) => ({ source, title, about });

/** @type {Section[]} */
export const SECTIONS = [
  {
    title: 'Begin',
    pages: [
      page('start.md', 'Start in five minutes', 'from a checkout to the first mail, its events and a stop'),
      page('concepts.md', 'Concepts', 'accounts, domains, messages, events: the words of the API'),
      page('console.md', 'The console', 'a walk with pictures'),
      page('comparison.md', 'Comparison', 'with other services and programs, rows that we lose included'),
    ],
  },
  {
    title: 'Guides',
    pages: [
      page('guides/domains.md', 'Domains and DNS', 'records, where DNS hosts have them, what a check says'),
      page('guides/webhooks.md', 'Webhooks', 'events at your server, with samples that verify signatures'),
      page('guides/templates.md', 'Templates', 'drafts, versions, variables, sends'),
      page('guides/campaigns.md', 'Campaigns', 'contacts, lists, a design, results'),
      page('guides/inbound.md', 'Inbound mail', 'routes, and messages at your server'),
      page('guides/smtp.md', 'SMTP', 'credentials, and the settings of ten frameworks'),
      page('moving-here.md', 'Moving here', 'suppressions, contacts and templates of another service'),
      page('single-machine.md', 'Production on one machine', 'settings, TLS, DNS, backup'),
      page('kubernetes.md', 'Production on Kubernetes', 'the chart'),
      page('guides/warming-up.md', 'Warming up', 'new addresses, and how limits are learnt'),
      page('guides/no-mail.md', 'When mail does not arrive', 'from the message to the cause'),
      page('guides/backup.md', 'Backup and restore', 'what to keep, and a drill'),
      page('guides/upgrades.md', 'Upgrades', 'to the next release and back'),
      page('guides/security.md', 'Security', 'keys, sessions, secrets, reports of a hole'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('reference/README.md', 'All of the reference', 'where each part is'),
      page('reference/errors.md', 'Errors and replies', 'each text of the API and of the SMTP listeners'),
      page('settings.md', 'Settings', 'required, usual, rare'),
      page('reference/cli.md', 'Command line', 'each command of npx postmesh'),
      page('events.md', 'Events', 'streams, events and their consumers'),
      page('replies.md', 'Replies of mail servers', 'how replies are classified'),
      page('reports.md', 'Bounces and complaints', 'the forms that are read'),
      page('dialects.md', 'Dialects', 'APIs of other services that it speaks'),
      page('mcp.md', 'Assistants', 'an MCP server with bounded sends'),
      page('contract/README.md', 'The contract', 'what clients may rely on'),
    ],
  },
  {
    title: 'Operations',
    pages: [
      page('operations.md', 'Running it', 'processes, metrics, keys, queues, sizes'),
      page('runbooks/README.md', 'Runbooks', 'one for each alert'),
      page('reliability.md', 'Reliability', 'what is guaranteed, and how it is tested'),
      page('local-internet.md', 'Local internet', 'staging against hosts that behave like providers'),
      page('bench/README.md', 'Costs', 'what a message costs'),
    ],
  },
  {
    title: 'Inside',
    pages: [
      page('overview.md', 'Architecture in one page', 'services, the path of a message, where to look'),
      page('architecture.md', 'Architecture', 'the rules that hold everywhere'),
      page('flow.md', 'The path of a message', 'file by file'),
      page('glossary.md', 'Glossary', 'terms'),
      page('decisions/README.md', 'Decisions', 'the reasons'),
    ],
  },
  {
    title: 'Project',
    pages: [
      page('project/CONTRIBUTING.md', 'Changing Postmesh', 'layout, style, tests'),
      page('project/CHANGELOG.md', 'Changes', 'each release, with what an upgrade needs'),
      page('project/ROADMAP.md', 'Roadmap', 'what is next, and what is not'),
      page('project/SECURITY.md', 'Reports of holes', 'how to report, what to expect'),
      page('project/CODE_OF_CONDUCT.md', 'Code of conduct', 'how we treat each other'),
    ],
  },
];

/** Files of the root, where the site has them. */
export const PROJECT_FILES = [
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'ROADMAP.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
];

/** @param {string} source of a page @returns {string} its route below the base: `decisions/README.md` → `/decisions/` */
export const routeOf = (source) => `/${source.replace(/\.md$/, '').replace(/(^|\/)(README|index)$/, '$1')}`;
