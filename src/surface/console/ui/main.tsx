// Starts the page of the console.
import { signal } from '@preact/signals';
import { render } from 'preact';
import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/content.css';
import './style/shell.css';
import { App } from './shell/app.tsx';
import { themeOf } from './shell/navigation.tsx';
import { createHost, HostProvider } from './state/host.ts';

const root = document.getElementById('page');
if (root !== null)
  render(
    <HostProvider value={createHost(window)}>
      <App theme={themeOf(window)} isHelpOpen={signal(false)} />
    </HostProvider>,
    root,
  );
