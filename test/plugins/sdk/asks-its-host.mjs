// A planner on the SDK that has its host look at things before it plans.
import { definePlugin, planner, serve } from 'pluglot/sdk';

serve(
  definePlugin({
    name: 'asks-its-host',
    version: '1.0.0',
    planner: planner({
      async createPlan({ userRequest }, { host }) {
        /** @type {string[]} */
        const texts = [];
        const task = /** @type {const} */ ({ type: 'analysis', prompt: userRequest });
        const done = await host.executeTask(task, (text) => texts.push(text)).catch(String);
        const explanation = JSON.stringify({ done, texts });
        return { tasks: [{ id: 'task_001', type: 'analysis', description: userRequest }], explanation };
      },
    }),
  }),
);
