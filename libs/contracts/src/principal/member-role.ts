/** Roles of people in the console; API keys have scopes instead (spec 1-platform §8). */
export const MEMBER_ROLES = ['Administrator', 'Developer', 'Analyst', 'Billing Manager'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
