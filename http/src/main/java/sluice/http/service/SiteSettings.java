package sluice.http.service;

import sluice.http.rules.SiteRules;
import sluice.http.site.Site;

/// The settings with which a loop serves a site.
///
/// @param cacheBytes the memory for cached replies, or 0 to disable caching
/// @param rules the rules for paths of the site
/// @param watches the maximum number of inotify watches, at least 2, or 0 to disable them, in which
///   case each hit checks the file system for changes of its file
public record SiteSettings(Site site, long cacheBytes, SiteRules rules, int watches) {}
