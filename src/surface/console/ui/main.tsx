// The page of the console begins here.
import { signal } from '@preact/signals';
import { render } from 'preact';
import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/content.css';
import './style/shell.css';
import { App } from './shell/app.tsx';
import { themeOf } from './shell/theme.ts';
import { HostContext } from './state/host-context.ts';
import { createHost } from './state/host.ts';

const place = document.getElementById('page');
if (place !== null) {
  const host = createHost(window);
  render(
    <HostContext.Provider value={host}>
      <App theme={themeOf(window)} isHelpOpen={signal(false)} />
    </HostContext.Provider>,
    place,
  );
}
