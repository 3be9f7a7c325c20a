@echo off
node "%~dp0dist\main.js" %*
