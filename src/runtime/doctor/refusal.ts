// Why a plugin is not looked at.
import { sentence } from '../../base/sentence.ts';
import type { Found, FoundModule } from '../../fleet/discovery/discover.ts';
import { finding, type Finding } from './finding.ts';

/** What is not trusted is never executed. */
export function refusal(name: string, { trust, disabled }: Found | FoundModule): Finding | undefined {
  if (disabled !== undefined) {
    const place = [disabled.file, disabled.line].filter((part) => part !== undefined).join(':');
    const fix = 'Take "disabled" away there to use it.';
    return finding({ code: 'disabled', plugin: name, what: `It is disabled in ${place}.`, fix });
  }
  if (trust.trusted) return undefined;
  const [command] = /pluglot trust add .*$/.exec(trust.wayOut) ?? [];
  return finding({
    code: 'not-trusted',
    plugin: name,
    what: `It may not be run: ${sentence(trust.reason)}`,
    fix: trust.wayOut.replace(/: pluglot trust add .*$/, ' say that it may be run.'),
    ...(command !== undefined && { command }),
  });
}
