/** A pattern for user agents, with samples that match and similar ones that must not. */
export interface AgentPattern {
  pattern: RegExp;
  who: string;
  source: string;
  samples: readonly string[];
  others: readonly string[];
}

/** A network, with its owner and the source of the list. */
export interface Network {
  /** CIDR blocks */
  blocks: readonly string[];
  who: string;
  source: string;
  samples: readonly string[];
  /** addresses just outside */
  others: readonly string[];
}

/**
 * Proxies that fetch images while a person reads the message, so they count (spec 2-messages §11 rule 7). The list of
 * bots (isbot) contains some of them.
 */
export const IMAGE_PROXIES: readonly AgentPattern[] = [
  {
    pattern: /GoogleImageProxy/i,
    who: 'Gmail',
    source: 'https://support.google.com/mail/answer/145919',
    samples: ['Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'],
    others: [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'Googlebot-Image/1.0',
    ],
  },
  {
    pattern: /YahooMailProxy/i,
    who: 'Yahoo Mail, AOL Mail',
    source: 'https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
    samples: ['YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'],
    others: ['Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)'],
  },
  {
    pattern: /\bfastmail\b/i,
    who: 'Fastmail',
    source: 'https://www.fastmail.help/hc/en-us/articles/1500000278102 (mostly with the agent of a browser)',
    samples: ['Mozilla/5.0 (compatible; Fastmail image proxy)'],
    others: ['Mozilla/5.0 (compatible; fastbot/1.0)'],
  },
  {
    pattern: /\bsuperhuman\b/i,
    who: 'Superhuman',
    source: 'spec 2-messages §11 rule 7',
    samples: ['Superhuman'],
    others: ['superhumanity-crawler/1.0'],
  },
  {
    pattern: /^hey\.com\/imageproxy\b/i,
    who: 'HEY',
    source: 'https://www.hey.com/image-proxy',
    samples: [
      'hey.com/imageproxy Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/134.0.0.0 Safari/537.36',
    ],
    others: ['Mozilla/5.0 (compatible; bot) hey.com/imageproxy'],
  },
];

/** Mail programs that isbot takes for a bot. */
export const MAIL_PROGRAMS: readonly AgentPattern[] = [
  {
    pattern: /^Mozilla\/5\.0$/,
    who: 'Apple Mail behind its privacy proxy, which is known by its networks, and small web views',
    source: 'https://support.apple.com/guide/iphone/use-mail-privacy-protection-iphf084865c7/ios',
    samples: ['Mozilla/5.0'],
    others: ['Mozilla/5.0 (compatible; bot)', 'Mozilla/4.0', 'curl/8.5.0'],
  },
];

/** Machines that isbot does not contain. */
export const SCANNER_AGENTS: readonly AgentPattern[] = [
  {
    pattern:
      /\b(?:barracuda|proofpoint|mimecast|messagelabs|ironport|forcepoint|fortimail|fortiguard|mailscanner|mailmarshal|trendmicro|cloudmark|hornetsecurity|spamtitan|vadesecure|retarus|avanan|sophos)/i,
    who: 'security gateways that say who they are',
    source: 'the vendors’ names; agents as in logs of click trackers',
    samples: [
      'Mozilla/5.0 (compatible; proofpoint)',
      'Barracuda Sentinel (EE)',
      'Mimecast-URL-Scanner/1.0',
      'Mozilla/5.0 (FortiGuard)',
    ],
    others: [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17928; Pro)',
    ],
  },
  {
    pattern: /\bBingPreview\b|\bSkypeUriPreview\b|\bWhatsApp\/|\bTelegramBot\b|\bSlackbot\b|\bDiscordbot\b/i,
    who: 'link previews of messengers',
    source: 'https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0',
    samples: ['Mozilla/5.0 (Windows NT 6.1) AppleWebKit/534+ BingPreview/1.0b', 'WhatsApp/2.23.20.0'],
    others: [
      'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile Safari/537.36 EdgA/131.0',
    ],
  },
];

/** Security gateways that open messages and follow their links, with user agents of browsers. */
export const SCANNER_NETWORKS: readonly Network[] = [
  {
    who: 'Barracuda Email Security Service',
    source:
      'https://campus.barracuda.com/product/emailsecuritygateway/doc/96023043 (IP addresses of the service)',
    blocks: ['64.235.144.0/20', '209.222.80.0/21'],
    samples: ['64.235.150.1', '209.222.82.9', '209.222.87.255'],
    others: ['64.235.160.1', '209.222.79.255', '209.222.88.0'],
  },
  {
    who: 'Proofpoint',
    source: 'ARIN and RIPE allocations of Proofpoint, Inc.',
    blocks: [
      '67.231.144.0/20',
      '148.163.128.0/19',
      '205.220.160.0/20',
      '208.84.64.0/22',
      '185.132.180.0/22',
      '185.183.28.0/22',
      '91.209.104.0/24',
    ],
    samples: ['67.231.152.7', '148.163.159.1', '91.209.104.200'],
    others: ['67.231.160.1', '148.163.160.1', '91.209.105.1'],
  },
  {
    who: 'Mimecast',
    source: 'https://community.mimecast.com (data centers and URLs); ARIN and RIPE allocations of Mimecast',
    blocks: [
      '205.139.110.0/23',
      '207.211.30.0/23',
      '63.128.21.0/24',
      '216.205.24.0/24',
      '91.220.42.0/24',
      '146.101.78.0/24',
      '185.58.84.0/22',
      '195.130.217.0/24',
      '207.82.80.0/24',
    ],
    samples: ['207.211.31.120', '91.220.42.230', '185.58.86.1'],
    others: ['207.211.32.1', '91.220.43.1', '185.58.88.1'],
  },
  {
    who: 'Symantec Email Security.cloud (MessageLabs)',
    source: 'https://knowledge.broadcom.com/external/article/150876 (IP ranges of the service)',
    blocks: [
      '67.219.240.0/20',
      '85.158.136.0/21',
      '95.131.104.0/21',
      '117.120.16.0/21',
      '193.109.254.0/23',
      '194.106.220.0/23',
      '195.245.230.0/23',
      '216.82.240.0/20',
    ],
    samples: ['85.158.137.1', '195.245.231.255', '216.82.255.1'],
    others: ['85.158.144.1', '195.245.232.0', '216.82.239.255'],
  },
  {
    who: 'Cisco Secure Email (IronPort)',
    source: 'ARIN allocations of Cisco IronPort Systems',
    blocks: ['68.232.128.0/19', '184.94.240.0/20', '208.90.56.0/21', '216.71.128.0/19'],
    samples: ['68.232.130.1', '216.71.145.1'],
    others: ['68.232.160.1', '216.71.160.1'],
  },
];

/**
 * Apple's Mail Privacy Protection prefetches every image through the exits of its relays. Apple publishes them as a
 * list of 280,000 small blocks (https://mask-api.icloud.com/egress-ip-ranges.csv); these are the enclosing networks of
 * their operators, and Apple's own.
 */
export const PRIVACY_PROXY_NETWORKS: readonly Network[] = [
  {
    who: 'Apple',
    source: 'ARIN allocation of Apple Inc.',
    blocks: ['17.0.0.0/8'],
    samples: ['17.58.98.1'],
    others: ['16.255.255.255', '18.0.0.1'],
  },
  {
    who: 'Akamai, exits of the relay',
    source: 'https://mask-api.icloud.com/egress-ip-ranges.csv',
    blocks: ['172.224.0.0/14', '2a02:26f7::/32'],
    samples: ['172.224.226.5', '2a02:26f7:b000:4000::1'],
    others: ['172.223.255.255', '172.228.0.0', '2a02:26f8::1'],
  },
  {
    who: 'Cloudflare, exits of the relay',
    source: 'https://mask-api.icloud.com/egress-ip-ranges.csv',
    blocks: ['104.28.0.0/16', '2606:54c0::/32', '2606:54c3::/32', '2a09:bac2::/31'],
    samples: ['104.28.28.5', '2606:54c0:2000::1', '2a09:bac3::1'],
    others: ['104.29.0.1', '2606:4700::1111', '2a09:bac4::1'],
  },
  {
    who: 'Fastly, exits of the relay',
    source: 'https://mask-api.icloud.com/egress-ip-ranges.csv',
    blocks: ['140.248.0.0/16', '146.75.0.0/16', '2a04:4e41::/32'],
    samples: ['146.75.134.2', '140.248.20.1', '2a04:4e41:10::1'],
    others: ['146.76.0.1', '151.101.1.1', '2a04:4e42::1'],
  },
];
