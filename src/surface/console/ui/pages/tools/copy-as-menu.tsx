// The call as something to paste elsewhere.
import type { JsonObject } from '../../../../../base/json.ts';
import { asCommandLine, asCurl, asTypeScript } from '../../lib/copy-as.ts';
import { CopyButton } from '../../parts/copy-button.tsx';

export function CopyAs({ tool, args }: { readonly tool: string; readonly args: JsonObject }) {
  const { origin } = location;
  return (
    <div class="row copy-as push" role="group" aria-label="Copy as">
      <span class="faint small">Copy as</span>
      <CopyButton isSmall={false} label="CLI" text={() => asCommandLine(tool, args)} />
      <CopyButton isSmall={false} label="curl" text={() => asCurl(origin, tool, args)} />
      <CopyButton isSmall={false} label="TypeScript" text={() => asTypeScript(origin, tool, args)} />
    </div>
  );
}
