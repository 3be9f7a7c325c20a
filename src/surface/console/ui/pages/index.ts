// The pages, in the order of the navigation. To add one, create a folder and add a line here.
import { approvals } from './approvals/index.tsx';
import { audit } from './audit/index.tsx';
import { fleet } from './fleet/index.tsx';
import type { Page } from './page.tsx';
import { talks } from './talks/index.tsx';
import { tools } from './tools/index.tsx';
import { traffic } from './traffic/index.tsx';

export const pages: readonly [Page, ...Page[]] = [fleet, tools, traffic, talks, approvals, audit];
